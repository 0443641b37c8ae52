accounts-accounts = Konten auf Servern
accounts-accounts-mean = Die Kalender dieser Konten liegen versiegelt auf diesem Rechner, bis du sie nicht mehr lesen lässt.
accounts-paused = Angehalten: Ich frage diesen Server nichts. Kalender bleiben; Mail, Namen, Zahlungen und Messwerte kenne ich wieder, wenn es weitergeht.
accounts-kind-caldav = Kalender über CalDAV
accounts-kind-address = Kalender unter einer Adresse
accounts-reading = Ich lese es gerade.
accounts-reached-not = Noch nicht erreicht.
accounts-reached = Zuletzt erreicht { $when }.
accounts-entries = { $count ->
        [one] { $count } Eintrag.
       *[other] { $count } Einträge.
    }
accounts-people = { $count ->
        [one] { $count } Person.
       *[other] { $count } Personen.
    }
accounts-payments = { $count ->
        [one] { $count } Zahlung.
       *[other] { $count } Zahlungen.
    }
accounts-nights = { $count ->
        [one] { $count } Nacht.
       *[other] { $count } Nächte.
    }
accounts-known = { $count ->
        [one] Ein Eintrag
       *[other] { $count } Einträge
    }
accounts-nothing-new = Zuletzt nichts Neues.
accounts-new = Zuletzt { $count } neu oder geändert.
accounts-gone = Zuletzt { $count } weggefallen.
accounts-new-and-gone = Zuletzt { $new } neu oder geändert und { $gone } weggefallen.
accounts-pause = Lesen von { $name } anhalten
accounts-resume = { $name } weiter lesen
accounts-remove = { $name } nicht mehr lesen
accounts-problem-elsewhere = Der Server schickt mich weiter zu { $host }. Diesen Server hast du nicht genannt, und ich bin nicht hingegangen.
accounts-problem-portal = Dieses Netz will, dass du dich zuerst bei ihm anmeldest.
accounts-problem-refused = Der Server lehnt die Anfrage ab ({ $status }).
accounts-problem-unknown-host = Niemand kennt einen Server dieses Namens.
accounts-problem-unreachable = Der Server ist nicht zu erreichen.
accounts-problem-not-public = Der Name führt auf diesen Rechner oder in dein eigenes Netz, und das hast du nicht erlaubt.
accounts-problem-other-name = Das Zertifikat des Servers gilt für einen anderen Namen.
accounts-problem-untrusted = Das Zertifikat des Servers ist von niemandem, dem dieser Rechner vertraut.
accounts-problem-out-of-date = Das Zertifikat des Servers ist abgelaufen.
accounts-problem-not-pinned = Das Zertifikat des Servers ist nicht das, das du angenommen hast.
accounts-problem-no-tls = Der Server spricht dort kein TLS.
accounts-problem-login-refused = Der Server lehnt die Anmeldung ab.
accounts-problem-login-missing = Der Server verlangt eine Anmeldung.
accounts-problem-silent = Der Server hat nicht rechtzeitig geantwortet.
accounts-problem-too-large = Der Server sendet mehr, als ich annehme.
accounts-problem-broken = Was der Server sendet, bricht ab oder ergibt keinen Sinn.
accounts-problem-no-calendar = Unter dieser Adresse ist kein Kalender.
accounts-problem-too-often = Der Server möchte seltener gefragt werden.
accounts-problem-worker-ended = Das Lesen wurde abgebrochen.
accounts-problem-no-memory = Dieser Rechner hat keinen Speicher, in dem liegen könnte, was ich lese.
accounts-remedy-login = Gib das Passwort noch einmal ein. Viele Server wollen ein App-Passwort, nicht dein gewöhnliches.
accounts-remedy-test = Ich versuche es von selbst wieder.
accounts-remedy-portal = Öffne irgendeine Seite in deinem Browser und melde dich im Netz an. Dann versuche ich es wieder.
accounts-remedy-forbidden = Die Anmeldung stimmt und darf diese Adresse nicht lesen. Sieh nach, ob sie zu etwas gehört, das dir gehört, oder frage, wer den Server betreibt.
accounts-remedy-again = Ich versuche es wieder. Sieh nach, ob der Server läuft und seine Adresse stimmt.
accounts-remedy-ask = Ich versuche es wieder. Bleibt es so, frage, wer den Server betreibt.
accounts-remedy-other-name = Schreibe in die Adresse den Namen, für den das Zertifikat gilt, oder frage, wer den Server betreibt.
accounts-remedy-private = Wenn der Server deiner ist, sage, dass er in deinem eigenen Netz steht.
accounts-remedy-elsewhere = Wenn du diesem Server vertraust, nenne ihn anstelle des anderen. Im Hotel oder im Zug kann es die Seite dieses Netzes sein: Melde dich dort in deinem Browser an, und ich versuche es wieder.
accounts-remedy-certificate = Frage dort nach, wo der Server betrieben wird. Wenn er deiner ist, nimm sein Zertifikat über den Fingerabdruck an.
accounts-remedy-pin = Frage dort nach, wo der Server betrieben wird, ob das Zertifikat neu ist, und nimm dann den neuen Fingerabdruck an.
accounts-remedy-port = Sieh nach, ob der Port in der Adresse stimmt.
accounts-remedy-smaller = Wähle einen kleineren Kalender oder nur seine Adresse.
accounts-remedy-address = Sieh nach, ob die Adresse die eines Kalenders oder Adressbuchs ist und nicht die einer Seite. Hast du auf diesem Server noch keinen, lege dort einen an. Im Hotel oder im Zug melde dich zuerst in diesem Netz an.
accounts-remedy-less-often = Ich warte länger.
accounts-remedy-memory = Hänge ein Dateisystem im Speicher ein, etwa /dev/shm, und starte neu.
accounts-memory-mean = Namen und Zahlungen dieser Konten liegen nur im Arbeitsspeicher dieses Rechners und werden nach jedem Start neu gelesen.
accounts-kind-carddav = Namen über CardDAV
accounts-kind-simplefin = Bankkonten über SimpleFIN
accounts-problem-no-address-book = Unter dieser Adresse ist kein Adressbuch.
accounts-problem-no-money = Dahinter ist kein Bankkonto.
accounts-remedy-money = Füge beim Dienst ein Bankkonto hinzu, dann finde ich es.
