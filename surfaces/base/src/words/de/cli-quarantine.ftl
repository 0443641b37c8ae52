cli-quarantine-nothing = Nichts wurde abgelehnt.
cli-quarantine-nothing-of-that = Nichts davon wurde abgelehnt.
cli-quarantine-would-purge = { $lines ->
        [one] { $lines } Zeile
       *[other] { $lines } Zeilen
    }, { $bytes ->
        [one] { $bytes } Byte
       *[other] { $bytes } Bytes
    }, { $files ->
        [one] { $files } ganze Datei
       *[other] { $files } ganze Dateien
    } würden entfernt
cli-quarantine-purged = { $lines ->
        [one] { $lines } Zeile
       *[other] { $lines } Zeilen
    }, { $bytes ->
        [one] { $bytes } Byte
       *[other] { $bytes } Bytes
    }, { $files ->
        [one] { $files } ganze Datei
       *[other] { $files } ganze Dateien
    } entfernt
cli-quarantine-only-calls = nur ein Aufruf kann eine Fixture sein: lass --kind weg
cli-quarantine-written-to = geschrieben nach { $path }: sieh es an, bevor du es weitergibst
cli-quarantine-replayed = { $passes } würden durchgelassen, { $refused } abgelehnt ({ $differently } davon aus einem anderen Grund), { $not_replayable } nicht mehr zu beurteilen
cli-quarantine-no-fixture = Zeile { $number } ist keine Fixture: { $why }
cli-quarantine-passes-today = heute würde sie durchgelassen
cli-quarantine-depends-on-time = ob sie abgelehnt wird, hängt von der Zeit oder einer Bestätigung ab, und die steht in keiner Datei
cli-quarantine-cannot-write = { $path } war nicht zu schreiben ({ $why }): nenne einen anderen Ordner mit --as-fixture=ORDNER
cli-quarantine-redacted = Privates darin wurde verborgen, die abgelehnten Bytes sind nicht mehr da
cli-quarantine-no-call = es steht nicht dabei, welchen Aufruf sie beantwortet
cli-quarantine-cut = nur der Anfang ist aufbewahrt
cli-quarantine-would-pass = { $then }: würde durchgelassen
cli-quarantine-would-pass-otherwise = { $then }: würde durchgelassen, abgesehen von dem, was nicht nachgespielt wird: Frist, Bestätigung, was gefragt war
cli-quarantine-still-refused = { $then }: weiter abgelehnt
cli-quarantine-refused-as = { $then }: abgelehnt als { $code } { $pointer }: { $message }
cli-quarantine-not-replayable = { $then }: nicht mehr zu beurteilen: { $why }
cli-quarantine-from-one = 0 ist nicht in 1..: Zeilen zählen ab 1
cli-quarantine-no-line-name = weder eine Zahl ab 1 noch 6 bis 64 Ziffern eines sha256 noch last
cli-quarantine-more-than-one = mehr als eine Zeile beginnt so: gib mehr Ziffern ihres sha256 an
cli-quarantine-no-line-number = es gibt keine Zeile { $number }: `aura quarantine list --kind { $kind }` zeigt, welche es gibt
cli-quarantine-no-line-sha = es gibt keine Zeile mit sha256 { $sha }: `aura quarantine list --kind { $kind }` zeigt, welche es gibt
cli-quarantine-no-line = es gibt keine Zeile: `aura quarantine list --kind { $kind }` zeigt, welche es gibt
cli-quarantine-no-time = weder RFC 3339 wie 2026-11-03T08:15:00Z noch wie lange her, wie 90s, 15m, 1h, 2d, 1w
cli-quarantine-no-span = keine Dauer; schreibe sie wie 90s, 15m, 12h, 30d oder 2w
cli-quarantine-stats = { $kind }: { $entries } aufbewahrt, { $lost } verloren, { $unreadable } unlesbar; { $bytes ->
        [one] { $bytes } Byte
       *[other] { $bytes } Bytes
    } in { $files ->
        [one] { $files } Datei
       *[other] { $files } Dateien
    }, { $torn ->
        [one] { $torn } abgerissene Zeile
       *[other] { $torn } abgerissene Zeilen
    } beiseitegelegt
cli-quarantine-from-to = von { $from } bis { $to }
cli-quarantine-by-code = Code
cli-quarantine-by-agent = Agent
cli-quarantine-by-tool = Werkzeug
cli-quarantine-by-day = Tag
cli-quarantine-no-service = auf diesem Ordner läuft kein Dienst
cli-quarantine-service = der Dienst, seit seinem Start: { $written } geschrieben, { $overflowed } verloren, weil zu viele warteten, { $failed }, weil sie nicht zu schreiben waren, { $purged } gelöscht
cli-quarantine-service-failing = der Dienst, seit seinem Start: { $written } geschrieben, { $overflowed } verloren, weil zu viele warteten, { $failed }, weil sie nicht zu schreiben waren, { $purged } gelöscht; ER KANN JETZT NICHT SCHREIBEN
cli-quarantine-other-version = der Dienst ist von einer anderen Version: starte ihn neu
cli-quarantine-column-n = n
cli-quarantine-column-time = Zeit (UTC)
cli-quarantine-column-code = Code
cli-quarantine-column-tool = Werkzeug
cli-quarantine-column-bytes = Bytes
cli-quarantine-column-pointer = Stelle
cli-quarantine-lost = { $count ->
        [one] { $count } ging hier verloren
       *[other] { $count } gingen hier verloren
    }
cli-quarantine-unreadable = keine Zeile von Aura, { $bytes ->
        [one] { $bytes } Byte
       *[other] { $bytes } Bytes
    }
cli-quarantine-torn = unfertig, { $bytes ->
        [one] { $bytes } Byte
       *[other] { $bytes } Bytes
    }
cli-quarantine-not-known = nicht bekannt
cli-quarantine-raw-base64 = roh (base64)
cli-quarantine-raw = roh
cli-quarantine-time = Zeit
cli-quarantine-code = Code
cli-quarantine-pointer = Stelle
cli-quarantine-message = Meldung
cli-quarantine-program = Programm
cli-quarantine-tool = Werkzeug
cli-quarantine-call = Aufruf
cli-quarantine-trace = Protokoll
cli-quarantine-catalogue = Katalog
cli-quarantine-bytes = Bytes
cli-quarantine-no-such-code = diesen Code gibt es nicht; sie sehen aus wie GATE-009: `aura help GATE-009`
cli-quarantine-no-such-agent = diesen Agenten gibt es nicht; es gibt { $names }
