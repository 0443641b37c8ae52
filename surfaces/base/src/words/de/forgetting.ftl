forgetting-forget = Vergessen
forgetting-forget-says = Ich zeige zuerst, was verschwinden würde. Deine eigenen Dateien (Mail, Kalender, Kontoauszüge) bleiben, wie sie sind, ebenso Kopien und Sicherungen, die du gemacht hast.
forgetting-forget-day = Ein Tag
forgetting-forget-kind = Alles einer Art
forgetting-forget-look-kind = Zeigen, was davon verschwände
forgetting-forget-look = Zeigen, was verschwände
forgetting-forget-look-all = Alles zeigen, was verschwände
forgetting-forget-it = All das vergessen
forgetting-forget-undo = Rückgängig
forgetting-forget-waits = In zehn Sekunden ist es endgültig weg.
forgetting-forget-waits-left = In {"{}"} s endgültig weg
forgetting-forget-waits-whom = Wird gleich vergessen: { $whom }.
forgetting-forget-waits-everything = alles, was ich noch weiß
forgetting-forget-goes = Ich vergesse es jetzt.
forgetting-forget-called-off = Nichts wurde vergessen.
forgetting-forget-nothing = Davon bewahre ich nichts auf.
forgetting-forget-would-go-of-this-would = Wird der { $name } vergessen, verschwindet:
forgetting-forget-would-go-with-this-would = Wird { $name } vergessen, verschwindet:
forgetting-forget-would-go-with-all-this = Werden alle { $kept_kind_inside } vergessen, verschwindet:
forgetting-forget-would-go-with-this-would-2 = Wird { $measured_kind_inside } vergessen, verschwindet:
forgetting-forget-would-go-of-everything-i = Wird alles vergessen, verschwindet:
forgetting-all-known = Das ist alles, was die Seite über { $name } aufzählt.
forgetting-more-than-known = { $known } davon stehen auf der Seite über { $name }. { $more ->
        [one] Eins mehr erzählt dasselbe oder bedeutet ohne das nichts.
       *[other] Die anderen { $more } erzählen dasselbe oder bedeuten ohne das nichts.
    }
forgetting-forget-gone-is-forgotten-this = Der { $date } ist vergessen. Weg ist:
forgetting-forget-gone-is-forgotten-this-2 = { $says } ist vergessen. Weg ist:
forgetting-forget-gone-all-are-forgotten = Alle { $kept_kind_inside } sind vergessen. Weg ist:
forgetting-forget-gone-i-have-forgotten = Ich habe { $measured_kind_inside } vergessen. Weg ist:
forgetting-forget-gone-everything-is-forgotten = Alles ist vergessen. Weg ist:
forgetting-kept-kind-people = Leute
forgetting-kept-kind-chats = Chats
forgetting-kept-kind-shops = Geschäfte
forgetting-kept-kind-payments = Zahlungen
forgetting-kept-kind-calendar = Kalender
forgetting-kept-kind-inside-people = Leute
forgetting-kept-kind-inside-chats = Chats
forgetting-kept-kind-inside-shops = Geschäfte
forgetting-kept-kind-inside-payments = Zahlungen
forgetting-kept-kind-inside-events-of-the = Termine des Kalenders
forgetting-measured-kind-heart-rate-variability = Herzratenvariabilität
forgetting-measured-kind-resting-heart-rate = Ruhepuls
forgetting-measured-kind-sleep = Schlaf
forgetting-measured-kind-use-of-the = Nutzung des Telefons (Tippen, Wechseln, Bildschirm)
forgetting-measured-kind-how-stressed-i = Für wie gestresst ich dich hielt
forgetting-measured-kind-inside-all-heart-rate = jede Messung der Herzratenvariabilität
forgetting-measured-kind-inside-all-resting = jede Messung des Ruhepulses
forgetting-measured-kind-inside-all-sleep = jede Messung des Schlafs
forgetting-measured-kind-inside-all-use-of = jede Nutzung des Telefons
forgetting-measured-kind-inside-all-i-thought = jede Einschätzung deines Stresses
forgetting-thing-without-name-this-person = diese Person
forgetting-thing-without-name-this-chat = dieser Chat
forgetting-thing-without-name-this-shop = dieses Geschäft
forgetting-thing-without-name-this-payment = diese Zahlung
forgetting-thing-without-name-this-event = dieser Termin
forgetting-thing-without-name-this-message = diese Nachricht
forgetting-forget-failed = Es wurde nicht vergessen: { $why }.
forgetting-removed-nodes = { $count ->
        [one] { $count } Erinnerung
       *[other] { $count } Erinnerungen
    }
forgetting-removed-measurements = { $count ->
        [one] { $count } Messwert neben anderen seines Tages
       *[other] { $count } Messwerte neben anderen ihres Tages
    }
forgetting-removed-edges = { $count ->
        [one] { $count } Verbindung dazwischen
       *[other] { $count } Verbindungen dazwischen
    }
forgetting-removed-labels = { $count ->
        [one] { $count } Name, den du vergeben hast
       *[other] { $count } Namen, die du vergeben hast
    }
forgetting-removed-decisions = { $count ->
        [one] { $count } Entscheidung
       *[other] { $count } Entscheidungen
    }
forgetting-removed-traces = { $count ->
        [one] { $count } Erklärung einer Entscheidung
       *[other] { $count } Erklärungen von Entscheidungen
    }
forgetting-removed-drafts = { $count ->
        [one] { $count } Entwurf
       *[other] { $count } Entwürfe
    }
forgetting-removed-runs = { $count ->
        [one] { $count } Lauf eines Ablaufs
       *[other] { $count } Läufe von Abläufen
    }
forgetting-removed-events = { $count ->
        [one] { $count } Eintrag des Journals
       *[other] { $count } Einträge des Journals
    }
forgetting-removed-notes = { $count ->
        [one] { $count } Notiz zu den neuesten Werten und zu dem, was für dich gewöhnlich ist
       *[other] { $count } Notizen zu den neuesten Werten und zu dem, was für dich gewöhnlich ist
    }
forgetting-removed-ledger-rows = { $count ->
        [one] { $count } Eintrag in der Zählung der Unterbrechungen
       *[other] { $count } Einträge in der Zählung der Unterbrechungen
    }
forgetting-removed-quarantine-lines = { $count ->
        [one] { $count } abgewiesene Nachricht
       *[other] { $count } abgewiesene Nachrichten
    }
forgetting-removed-damaged-stores = { $count ->
        [one] { $count } beschädigte Kopie
       *[other] { $count } beschädigte Kopien
    }
forgetting-forget-also = Und dies, das kein Eintrag ist:
forgetting-forget-also-gone = Auch die Nachrichten und was ich daraus gelernt hatte, sind weg.
forgetting-also-messages = { $count ->
        [one] { $count } Nachricht des letzten Tages
       *[other] { $count } Nachrichten des letzten Tages
    }
forgetting-also-waiting = { $waiting ->
        [one] { $waiting } Nachricht, die auf deine Antwort wartet
       *[other] { $waiting } Nachrichten, die auf deine Antwort warten
    }
forgetting-also-learned = { $count ->
        [one] was ich aus { $count } Nachricht gelernt habe
       *[other] was ich aus { $count } Nachrichten gelernt habe
    }
forgetting-also-let-through = dass Nachrichten von dort immer durchkommen
forgetting-also-rules = { $count ->
        [one] { $count } Regel oder Stummschaltung von dir
       *[other] { $count } Regeln oder Stummschaltungen von dir
    }
forgetting-also-mute = dass der Chat stumm ist
forgetting-also-same = { $count ->
        [one] dein Wort, dass { $count } weitere Adresse zu dieser Person gehört
       *[other] dein Wort, dass { $count } weitere Adressen zu dieser Person gehören
    }
