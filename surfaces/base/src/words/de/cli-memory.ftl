cli-memory-audit-no-such-op = so etwas wird nicht festgehalten
cli-memory-audit-no-such-kind = diese Art wird nicht festgehalten
cli-memory-audit-id-shape = eine Kennung aus 1 bis 64 Zeichen von A-Z a-z 0-9 _ . : @ -
cli-memory-audit-key-shape = hexadezimale Ziffern, klein geschrieben und in der richtigen Anzahl
cli-memory-key-shape = ein Schlüssel hat 1 bis 64 Zeichen aus a-z0-9_:@-, wie `aura memory search` ihn ausgibt
cli-memory-audit-finding = Eintrag { $record }: { $fault }
cli-memory-audit-fault-missing = er fehlt
cli-memory-audit-fault-changed = er folgt nicht aus dem Eintrag davor: er wurde geändert oder verschoben, oder einer vor ihm wurde entfernt
cli-memory-audit-fault-meaning = sein Inhalt ist nicht der, für den er steht
cli-memory-audit-fault-tree = seine Prüfsummen im Baum sind nicht die seiner Einträge
cli-memory-audit-fault-cut-off = er fehlt mit allen danach: der Kopf vom { $day } steht für { $size } Einträge
cli-memory-audit-fault-rewritten = die Einträge bis { $size } sind nicht die, für die der Kopf vom { $day } steht: sie wurden neu geschrieben
cli-memory-audit-fault-signature = der Kopf vom { $day } über { $size } Einträge ist nicht von dieser Installation signiert
cli-memory-audit-proof-signature = der Kopf ist nicht mit dem Schlüssel signiert, den er nennt
cli-memory-audit-proof-meaning = der Inhalt ist nicht der, für den der Eintrag steht
cli-memory-audit-proof-path = der Eintrag gehört nicht zu dem Protokoll, für das der Kopf steht
cli-memory-audit-no-record = einen Eintrag { $seq } gibt es nicht: der letzte ist { $last }
cli-memory-audit-no-head-yet = für den Eintrag { $seq } steht noch kein Kopf: `aura memory audit heads --now` macht einen
cli-memory-audit-nothing = Davon ist nichts festgehalten.
cli-memory-audit-waiting = wartet
cli-memory-audit-column-record = Eintrag
cli-memory-audit-column-time = Ortszeit
cli-memory-audit-column-done = getan
cli-memory-audit-column-to = woran
cli-memory-audit-column-id = Kennung
cli-memory-audit-column-rows = Einträge
cli-memory-audit-erased = (gelöscht)
cli-memory-audit-key = Der Schlüssel dieser Installation: { $key }
cli-memory-audit-no-head = Noch ist kein Kopf signiert: --now signiert einen.
cli-memory-audit-column-day = Tag
cli-memory-audit-column-records = Einträge
cli-memory-audit-column-root = Wurzel
cli-memory-audit-copy-heads = Kopiere `aura memory audit heads --json` an einen anderen Ort: `verify --heads` vergleicht das Protokoll damit.
cli-memory-audit-checking = prüfe Einträge
cli-memory-audit-sound = in Ordnung: { $records ->
        [one] { $records } Eintrag
       *[other] { $records } Einträge
    }, davon { $erased } ohne Bedeutung; { $heads ->
        [one] { $heads } Kopf
       *[other] { $heads } Köpfe
    } und { $copied ->
        [one] { $copied } kopierter Kopf
       *[other] { $copied } kopierte Köpfe
    } stimmen
cli-memory-audit-records-wait = Einträge über Gelesenes, die auf den nächsten Start warten: { $count }
cli-memory-audit-not-sound = nicht in Ordnung: { $finding }
cli-memory-audit-no-head-in-line = Zeile { $number } von { $path } ist kein Kopf: kopiere, was `aura memory audit heads --json` ausgibt
cli-memory-audit-no-proof = { $path } ist kein Beweis: das ist, was `aura memory audit prove SEQ` ausgibt
cli-memory-audit-other-key = der Kopf ist mit einem anderen Schlüssel signiert
cli-memory-audit-holds = gilt: Eintrag { $seq } ist einer der { $size } vom { $day }, signiert mit { $key }
cli-memory-audit-does-not-hold = gilt nicht: { $fault }
cli-memory-copying = kopiere
cli-memory-restoring = stelle wieder her
cli-memory-backed-up = { $files ->
        [one] { $files } Datei
       *[other] { $files } Dateien
    }, { $bytes ->
        [one] { $bytes } Byte
       *[other] { $bytes } Bytes
    } gesichert in { $path }
cli-memory-restored = { $files ->
        [one] { $files } Datei
       *[other] { $files } Dateien
    }, { $bytes ->
        [one] { $bytes } Byte
       *[other] { $bytes } Bytes
    } wiederhergestellt in { $path }
cli-memory-nothing-removed = Nichts wurde entfernt.
cli-memory-own-folders-stay = Deine eigenen Ordner (Mails, Kalender, Nachrichten) haben noch alles, ebenso Kopien dieses Ordners, die du gemacht hast: Entferne es dort selbst.
cli-memory-to-not-after-from = --to liegt nicht nach --from
cli-memory-key-too-short = { $key } ist zu kurz für einen Schlüssel: `aura memory search` gibt Schlüssel aus
cli-memory-everything = alles, was Aura sich gemerkt hat,
cli-memory-all-measured = alles Gemessene der Art { $kind }
cli-memory-the-day = den Tag { $day } ({ $zone })
cli-memory-now = jetzt
cli-memory-the-time = die Zeit von { $from } bis { $to } ({ $zone })
cli-memory-and = { " " }und{ " " }
cli-memory-type-yes = Das lässt sich nicht rückgängig machen. Gib yes ein, um { $what } zu vergessen:
cli-memory-one-of = eines von { $known }
cli-memory-no-moment = { $text } ist kein Zeitpunkt: RFC 3339, ein Tag oder eine Ortszeit wie `2026-11-03 08:15`
cli-memory-kept-long-enough = was am { $at } lange genug aufbewahrt war
cli-memory-nothing = nichts
cli-memory-would-go = würde verschwinden: { $what }
cli-memory-goes = verschwindet: { $what }
cli-memory-gone = weg: { $what }
cli-memory-count-nodes = { $count ->
        [one] { $count } Erinnerung
       *[other] { $count } Erinnerungen
    }
cli-memory-count-measurements = { $count ->
        [one] { $count } Messwert
       *[other] { $count } Messwerte
    }
cli-memory-count-notes = { $count ->
        [one] { $count } Notiz der Agenten
       *[other] { $count } Notizen der Agenten
    }
cli-memory-count-edges = { $count ->
        [one] { $count } Verbindung
       *[other] { $count } Verbindungen
    }
cli-memory-count-labels = { $count ->
        [one] { $count } Name von dir
       *[other] { $count } Namen von dir
    }
cli-memory-count-decisions = { $count ->
        [one] { $count } Entscheidung
       *[other] { $count } Entscheidungen
    }
cli-memory-count-traces = { $count ->
        [one] { $count } Protokoll einer Entscheidung
       *[other] { $count } Protokolle von Entscheidungen
    }
cli-memory-count-ledger-rows = { $count ->
        [one] { $count } Eintrag in der Zählung der Unterbrechungen
       *[other] { $count } Einträge in der Zählung der Unterbrechungen
    }
cli-memory-count-drafts = { $count ->
        [one] { $count } Entwurf
       *[other] { $count } Entwürfe
    }
cli-memory-count-runs = { $count ->
        [one] { $count } Lauf eines Ablaufs
       *[other] { $count } Läufe von Abläufen
    }
cli-memory-count-quarantine-lines = { $count ->
        [one] { $count } abgewiesene Nachricht
       *[other] { $count } abgewiesene Nachrichten
    }
cli-memory-count-events = { $count ->
        [one] { $count } Eintrag des Journals
       *[other] { $count } Einträge des Journals
    }
cli-memory-count-damaged-stores = { $count ->
        [one] { $count } beschädigte Kopie
       *[other] { $count } beschädigte Kopien
    }
cli-memory-export-profiles = eines von raw, share-with-friend, share-with-clinician, minimal
cli-memory-export-csv = csv braucht einen neuen Ordner: --out PFAD
cli-memory-export-terminal = ein Export gehört nicht auf ein Terminal: --out DATEI oder eine Pipe
cli-memory-exporting = exportiere Einträge
cli-memory-exported = { $rows ->
        [one] { $rows } Eintrag
       *[other] { $rows } Einträge
    } für { $profile } in { $path }
cli-memory-export-column-fields = Felder
cli-memory-export-column-done = getan
cli-memory-export-column-times = Mal
cli-memory-imported = { $rows ->
        [one] { $rows } Eintrag aufgenommen
       *[other] { $rows } Einträge aufgenommen
    }; { $known } waren schon da
cli-memory-importing = nehme Bytes auf
cli-memory-key-no-terminal = es gibt kein Terminal, um nach einer Passphrase zu fragen: nenne eine Datei, in der sie steht
cli-memory-key-new-passphrase = Neue Passphrase:{ " " }
cli-memory-key-again = Noch einmal dieselbe:{ " " }
cli-memory-key-not-the-same = die beiden sind nicht gleich: nichts wurde geändert
cli-memory-key-sealing = versiegle
cli-memory-key-not-sealed = Nichts ist versiegelt: `aura memory key init` versiegelt es.
cli-memory-key-of-the-demo = Er liegt im Ordner: Das ist der Schlüssel der Demo.
cli-memory-key-sheet = Auch ein Wiederherstellungsblatt öffnet ihn.
cli-memory-key-by-keyring = Versiegelt. Der Schlüssel liegt im Schlüsselbund des Systems.
cli-memory-key-by-passphrase = Versiegelt. Der Schlüssel ergibt sich aus einer Passphrase.
cli-memory-key-by-file = Versiegelt. Der Schlüssel liegt in der Schlüsseldatei { $path }.
cli-memory-key-plan = { $files ->
        [one] { $files } Datei
       *[other] { $files } Dateien
    }, { $bytes ->
        [one] { $bytes } Byte
       *[other] { $bytes } Bytes
    } würden neu versiegelt.
cli-memory-key-sealing-anew = versiegle neu
cli-memory-label-length = ein Name hat 1 bis 80 Zeichen und kein Zeilenende
cli-memory-labelled = { $key } heißt von jetzt an { $name }
cli-memory-label-removed = { $key } hat keinen Namen von dir mehr
cli-memory-no-such-type = diese Art gibt es nicht: `aura memory search --help` nennt sie
cli-memory-always = immer
cli-memory-days = { $days ->
        [one] { $days } Tag
       *[other] { $days } Tage
    }
cli-memory-column-what = was
cli-memory-column-how-many = wie viele
cli-memory-column-oldest = älteste
cli-memory-column-newest = neueste
cli-memory-column-kept-for = aufbewahrt
cli-memory-column-type = Art
cli-memory-column-key = Schlüssel
cli-memory-column-when = wann
cli-memory-column-name = Name
cli-memory-column-because = weil
cli-memory-column-relation = Verbindung
cli-memory-column-other = mit
cli-memory-stats = { $edges ->
        [one] { $edges } Verbindung
       *[other] { $edges } Verbindungen
    }, { $labels ->
        [one] { $labels } Name von dir
       *[other] { $labels } Namen von dir
    }; { $traces ->
        [one] { $traces } Protokoll
       *[other] { $traces } Protokolle
    }, { $events ->
        [one] { $events } Eintrag
       *[other] { $events } Einträge
    } des Journals; { $kib } KiB auf der Platte
cli-memory-nothing-found = Nichts hat diese Wörter.
cli-memory-word-in-field = { $word } in { $field }
cli-memory-not-remembered = unter { $key } ist nichts gemerkt: `aura memory search` findet Schlüssel
cli-memory-your-name = dein Name dafür: { $label }
cli-memory-when = wann: { $at }
cli-memory-scan-too-short = jeder Text braucht mindestens { $least } Bytes: kürzere stehen überall durch Zufall
cli-memory-scan-in-page = Text { $number } steht in { $path }, Seite { $page }
cli-memory-scan-in-file = Text { $number } steht in { $path }
cli-memory-scan-none = { $count ->
        [one] der eine Text steht nirgends
       *[other] keiner von { $count } Texten steht irgendwo
    }
cli-memory-wipe-plan = { $files ->
        [one] { $files } Datei würde entfernt
       *[other] { $files } Dateien würden entfernt
    }, der Schlüssel zuerst.
cli-memory-wiping = lösche
cli-memory-wiped = Der Schlüssel von { $folder } ist vernichtet, und { $files ->
        [one] { $files } Datei ist
       *[other] { $files } Dateien sind
    } entfernt. Kopien und Sicherungen an anderen Orten entfernst du selbst.
cli-memory-wipe-copies = Sein Schlüssel liegt im Schlüsselbund. Kopien dieses Ordners haben denselben Schlüssel, ebenso der Ordner, dessen Kopie er ist: Auch sie gehen dann nicht mehr auf.
cli-memory-wipe-nobody-asked = mit --json lässt sich niemand fragen: gib --yes an
cli-memory-wipe-warning = Alles in { $folder } wird vernichtet: der Schlüssel, dann { $files ->
        [one] { $files } Datei
       *[other] { $files } Dateien
    }. Niemand kann es zurückholen.
cli-memory-wipe-type = Gib wipe ein, um es zu tun:
