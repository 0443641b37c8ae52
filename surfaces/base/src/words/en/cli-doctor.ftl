cli-doctor-name-data-folder = data folder
cli-doctor-name-key = key
cli-doctor-name-modes = modes
cli-doctor-name-lock = lock
cli-doctor-name-service = service
cli-doctor-name-clock = clock
cli-doctor-name-space = space
cli-doctor-name-raw-traces = raw traces
cli-doctor-name-store = store
cli-doctor-name-newest-trace = newest trace
cli-doctor-name-refused-calls = refused calls
cli-doctor-name-refused-results = refused results
cli-doctor-name-refused-traces = refused traces
cli-doctor-name-refused-messages = refused messages
cli-doctor-name-quarantine = quarantine
cli-doctor-name-repaired = repaired
cli-doctor-name-runs = runs
cli-doctor-name-configuration = configuration
cli-doctor-name-sources = sources
cli-doctor-name-source = source
cli-doctor-name-model = model
cli-doctor-name-policy = policy
cli-doctor-name-catalogue = catalogue
cli-doctor-name-sandbox = sandbox
cli-doctor-name-account-sandbox = account sandbox
cli-doctor-name-programs = programs
cli-doctor-name-speech = speech
cli-doctor-name-ntfy = ntfy
cli-doctor-name-web-push = web push
cli-doctor-name-telemetry = telemetry
cli-doctor-level-ok = ok
cli-doctor-level-warn = warn
cli-doctor-level-bad = bad
cli-doctor-to-do = to do: { $todo }
cli-doctor-help-code = `aura help CODE` with its code says more
cli-doctor-configuration-none = none named, and { $path } is not there
cli-doctor-configuration-write = write one (docs/cli.md shows how), or name it with --home FILE
cli-doctor-configuration-read = { $path }, zone { $zone }
cli-doctor-sources-none = none: the agents have nothing to read
cli-doctor-sources-name = name files or folders under [sources], or an account on a server: aura source add
cli-doctor-source-entries = { $path } ({ $count ->
        [one] { $count } entry
       *[other] { $count } entries
    })
cli-doctor-source-unreadable = { $path } cannot be read: { $error }
cli-doctor-source-correct = make it readable, or correct [sources] in the configuration
cli-doctor-model-none = none is wanted: sentences are templates
cli-doctor-model-none-built-in = none is built in: sentences are templates
cli-doctor-model-unknown = no model { $name } is known
cli-doctor-model-choose = choose one that `aura model list` names
cli-doctor-model-no-file = the file of { $name } is not here: sentences are templates
cli-doctor-model-fetch = get it with `aura model fetch`, or `aura model use none`
cli-doctor-model-no-program = the program that runs it is not built: sentences are templates
cli-doctor-model-ready = { $name }: its file and its program are here
cli-doctor-policy-built-in = built in, { $hash }
cli-doctor-policy-unusable = the built-in one cannot be used: { $error }
cli-doctor-is-a-bug = this is a bug: report it
cli-doctor-catalogue-accepted = as accepted in catalogue.lock, { $hash }
cli-doctor-catalogue-other = not the one that was accepted in catalogue.lock
cli-doctor-catalogue-build = this build is not to be trusted: build it anew
cli-doctor-sandbox-agents-broken = { $level }: a broken parser could do more than read its own folder; not as it must be: { $surprises }
cli-doctor-sandbox-agents-kernel = use a kernel with Landlock and seccomp (docs/operating.md), and keep sources to folders that you trust
cli-doctor-sandbox-programs-broken = { $level }: a program of yours could do more than its manifest says; not as it must be: { $surprises }
cli-doctor-sandbox-programs-kernel = use Linux 6.12 or newer with Landlock and seccomp (docs/operating.md), and run only programs that you trust
cli-doctor-sandbox-accounts-broken = { $level }: a server that breaks a parser could do more than hold its own connection; not as it must be: { $surprises }
cli-doctor-sandbox-accounts-kernel = use a kernel with Landlock and seccomp (docs/operating.md), and read only servers that you trust
cli-doctor-sandbox-untried = it could not be tried, so nothing counts as enforced: { $error }
cli-doctor-sandbox-probe = run `env -i aura worker probe` and see what it says
cli-doctor-sandbox-not-held = { $level }, but not as it must be: { $surprises }
cli-doctor-sandbox-distrust = do not trust it: `env -i aura worker probe` shows every attempt; report it
cli-doctor-sandbox-held = { $level }; { $count ->
        [one] { $count } attempt
       *[other] { $count } attempts
    } came out as they must
cli-doctor-account-configured = account { $name }: configured; how it stands is known while Aura runs
cli-doctor-account-paused = account { $name }: paused. { $reached }
cli-doctor-account-failing = account { $name }: { $says } { $reached }
cli-doctor-account-unknown = account { $name }: { $reached }
cli-doctor-account-read = account { $name }: { $entries }. { $reached }
cli-doctor-speech-off = off: nothing is said aloud
cli-doctor-speech-on = on, by { $program }
cli-doctor-speech-install = apt-get install espeak-ng, or set enabled = false under [speech]
cli-doctor-ntfy-none = none: no notifications by it, and no connection to outside for it
cli-doctor-ntfy-configured = configured; ask it with `aura doctor --online`
cli-doctor-ntfy-answers = the server answers
cli-doctor-ntfy-see = see that the server runs, and `server` under [ntfy]
cli-doctor-web-push-off = off: no browser is told, and no connection to outside for it
cli-doctor-web-push-on = on, by { $services }; ask them with `aura doctor --online`
cli-doctor-web-push-answers = on, by { $services }: they answer
cli-doctor-web-push-see = see that this computer reaches the internet, and `hosts` under [web_push]
cli-doctor-telemetry-off = off: no tick and no figure leaves Aura
cli-doctor-telemetry-on = on, to { $host }; ask it with `aura doctor --online`, and see `aura status`
cli-doctor-telemetry-answers = on, to { $host }: it answers
cli-doctor-telemetry-see = see that the collector runs and takes OTLP over HTTP, and `endpoint` under [telemetry]
cli-doctor-runs-move = move workflows.db of the older version away with its -wal and -shm, or restore a copy; the service does not need it
cli-doctor-runs-sound = sound: { $count ->
        [one] { $count } run
       *[other] { $count } runs
    }, { $waiting } waiting for you, { $interrupted } interrupted
cli-doctor-runs-resume = `aura workflow status` lists them, `aura workflow resume RUN` goes on
cli-doctor-landlock-fully = Landlock ABI { $abi } fully
cli-doctor-landlock-partly = Landlock ABI { $abi } partly
cli-doctor-landlock-no = no Landlock
cli-doctor-seccomp = seccomp
cli-doctor-seccomp-no = no seccomp
