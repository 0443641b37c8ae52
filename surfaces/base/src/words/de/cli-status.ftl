cli-status-interruptions = Heute noch { $free } von { $ceiling ->
        [one] { $ceiling } Unterbrechung
       *[other] { $ceiling } Unterbrechungen
    } übrig.
cli-status-question = Eine Frage an dich ist offen: `aura open` zeigt sie.
cli-status-paused = Pause bis { $until }; `aura pause off` beendet sie.
cli-status-rules = { $count ->
        [one] { $count } Regel von dir gilt
       *[other] { $count } Regeln von dir gelten
    }: `aura rule list`.
cli-status-muted = { $count ->
        [one] { $count } Chat ist stumm
       *[other] { $count } Chats sind stumm
    }: `aura mute list`.
cli-status-account-paused = { $name }: angehalten; mit `aura source resume { $name }` geht es weiter.
cli-status-hold = Freigehaltene Zeit
cli-status-decline = Eine Absage
cli-status-draft = Der Entwurf einer Antwort
cli-status-runs-idle = Aura läuft; jetzt ist nichts zu entscheiden ({ $now }).
cli-status-runs-listening = Aura läuft und fragt gerade die Agenten ({ $now }).
cli-status-runs-waiting = Aura läuft und wartet auf deine Antwort ({ $now }).
cli-status-runs-executing = Aura läuft und tut, was du bestätigt hast ({ $now }).
cli-status-runs-deciding = Aura läuft und entscheidet gerade ({ $now }).
cli-status-agent-rests = { $name } ist zu oft ausgefallen und ruht
cli-status-agent-being-started = { $name } wird gestartet
cli-status-agent-started-again = { $name } wurde neu gestartet ({ $count ->
        [one] bisher einmal
       *[other] bisher { $count }-mal
    })
cli-status-agents-answer = Alle Agenten antworten.
cli-status-agents = Agenten: { $told }.
cli-status-model-ready = Das Sprachmodell { $name } antwortet.
cli-status-model-starting = Das Sprachmodell { $name } wird geladen.
cli-status-model-rests = Das Sprachmodell { $name } ist zu oft ausgefallen und ruht.
cli-status-model-off = Kein Sprachmodell: Sätze entstehen aus Vorlagen.
cli-status-model-no-file = Das Sprachmodell { $name } ist nicht hier: Sätze entstehen aus Vorlagen; `aura model fetch` holt es.
cli-status-model-no-worker = Das Programm des Sprachmodells ist nicht hier: Sätze entstehen aus Vorlagen.
cli-status-model-unusable = Das gewählte Sprachmodell ist nicht brauchbar: `aura model list` sagt, warum.
cli-status-disk = Die Platte nimmt nichts an: Bis sie es wieder tut, wird nichts gezeigt und nichts getan. `aura doctor` sagt mehr.
cli-status-refused = { $count ->
        [one] { $count } Aufruf oder Resultat wurde abgelehnt
       *[other] { $count } Aufrufe oder Resultate wurden abgelehnt
    }: `aura quarantine list`.
cli-status-skipped = { $count ->
        [one] Einmal war etwas nicht lesbar.
       *[other] { $count }-mal war etwas nicht lesbar.
    }
cli-status-help = `aura help { $code }` sagt, was zu tun ist.
cli-status-clock = Im Moment wird nichts nach seinem Alter gelöscht: `aura clock show` sagt, warum.
cli-status-sandbox = Die Sandbox ist nicht vollständig ({ $sandbox }): `aura doctor` sagt mehr.
