cli-status-interruptions = { $free } of { $ceiling ->
        [one] { $ceiling } interruption
       *[other] { $ceiling } interruptions
    } left today.
cli-status-question = A question to you is open: `aura open` shows it.
cli-status-paused = Paused until { $until }; `aura pause off` ends it.
cli-status-rules = { $count ->
        [one] { $count } rule of yours stands
       *[other] { $count } rules of yours stand
    }: `aura rule list`.
cli-status-muted = { $count ->
        [one] { $count } chat is muted
       *[other] { $count } chats are muted
    }: `aura mute list`.
cli-status-account-paused = { $name }: paused; `aura source resume { $name }` goes on.
cli-status-hold = Time kept free
cli-status-decline = A decline
cli-status-draft = A draft of a reply
cli-status-runs-idle = Aura runs; nothing is to be decided now ({ $now }).
cli-status-runs-listening = Aura runs; it asks its agents ({ $now }).
cli-status-runs-waiting = Aura runs; it waits for your answer ({ $now }).
cli-status-runs-executing = Aura runs; it does what you confirmed ({ $now }).
cli-status-runs-deciding = Aura runs; it decides ({ $now }).
cli-status-agent-rests = { $name } failed too often and rests
cli-status-agent-being-started = { $name } is being started
cli-status-agent-started-again = { $name } was started again ({ $count } so far)
cli-status-agents-answer = All agents answer.
cli-status-agents = Agents: { $told }.
cli-status-model-ready = The language model { $name } answers.
cli-status-model-starting = The language model { $name } is being loaded.
cli-status-model-rests = The language model { $name } failed too often and rests.
cli-status-model-off = No language model: sentences are templates.
cli-status-model-no-file = The language model { $name } is not here: sentences are templates; `aura model fetch` gets it.
cli-status-model-no-worker = The program of the language model is not here: sentences are templates.
cli-status-model-unusable = The language model that was chosen cannot be used: `aura model list` says why.
cli-status-disk = The disk takes nothing: nothing is shown or done until it does. `aura doctor` says more.
cli-status-refused = { $count ->
        [one] { $count } call or result was
       *[other] { $count } calls or results were
    } refused: `aura quarantine list`.
cli-status-skipped = { $count ->
        [one] { $count } time
       *[other] { $count } times
    } something could not be read.
cli-status-help = `aura help { $code }` says what to do about it.
cli-status-clock = Nothing is deleted by its age for now: `aura clock show` says why.
cli-status-sandbox = The sandbox is not whole ({ $sandbox }): `aura doctor` says more.
