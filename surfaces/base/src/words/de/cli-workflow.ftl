cli-workflow-feature = 1 bis 64 Buchstaben, Ziffern, Punkte, Bindestriche und Unterstriche, am Anfang kein Punkt
cli-workflow-not-put-back = Nichts wurde zurückgenommen: { $refusal }
cli-workflow-checked = { $workflows ->
        [one] { $workflows } Ablauf
       *[other] { $workflows } Abläufe
    } geprüft, { $findings ->
        [one] { $findings } Fehler
       *[other] { $findings } Fehler
    }
cli-workflow-no-feature = dieser Ablauf schreibt Dateien: nenne mit --feature ID, woran er arbeitet
cli-workflow-shared = { $path } muss ein einziges JSON-Objekt von höchstens 256 KiB sein
cli-workflow-steps = { $count ->
        [one] { $count } Schritt
       *[other] { $count } Schritte
    }
cli-workflow-findings = { $count ->
        [one] { $count } Fehler
       *[other] { $count } Fehler
    }: aura workflow check
cli-workflow-column-workflow = Ablauf
cli-workflow-column-run = Lauf
cli-workflow-column-feature = Gegenstand
cli-workflow-column-last = zuletzt
cli-workflow-column-step = Schritt
cli-workflow-interrupted = unterbrochen
cli-workflow-run-of = Lauf { $run } von { $workflow } { $feature }
cli-workflow-in-project = in { $folder }
cli-workflow-asked = gefragt
cli-workflow-changed = geändert: { $paths }
cli-workflow-held = Nichts wurde geschrieben: { $paths }. `aura workflow resume { $id }` schreibt es und macht weiter.
cli-workflow-was-interrupted = Unterbrochen. `aura workflow resume { $id }` macht weiter.
cli-workflow-waits = Er wartet auf dich bis { $until }: { $summary }
cli-workflow-how-to-answer = `aura inbox answer { $id } TEXT` antwortet.
cli-workflow-stopped-at = Er hielt an bei { $outcome }: { $summary }
cli-workflow-how-to-ask-again = `aura workflow resume { $id }` fragt noch einmal.
cli-workflow-stopped-for-good = Er hielt endgültig an: Er hat so oft gefragt, wie max_steps erlaubt.
cli-workflow-process = Prozess { $pid } arbeitet daran.
cli-workflow-nobody-works = Niemand arbeitet daran. `aura workflow resume { $id }` macht weiter.
cli-workflow-phase-working = in Arbeit
cli-workflow-phase-waiting = wartet auf dich
cli-workflow-phase-stopped = angehalten
cli-workflow-phase-completed = abgeschlossen
cli-workflow-phase-expired = nicht rechtzeitig beantwortet
cli-workflow-phase-cancelled = von dir beendet
cli-workflow-phase-undone = zurückgenommen
cli-workflow-to-be-written = Als Nächstes wird geschrieben:
cli-workflow-next-refused = Was als Nächstes geschrieben werden soll, ist abgelehnt: { $refusal }
cli-workflow-refused = abgelehnt: { $refusal }
cli-workflow-writes = schreibt { $paths }
cli-workflow-has-written = hat geschrieben
cli-workflow-not-written = ist nicht geschrieben: { $refusal }
cli-workflow-announced = du wurdest auf die Frage hingewiesen
cli-workflow-dismissed = du hast den Hinweis weggelegt; die Frage bleibt
cli-workflow-answered = du hast geantwortet: { $answer }
cli-workflow-expired = niemand hat rechtzeitig geantwortet
cli-workflow-resumed = fortgesetzt
cli-workflow-cancelled = beendet
cli-workflow-undone = zurückgenommen: Die Dateien sind wie zuvor
