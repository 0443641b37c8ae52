cli-source-paused-now = { $name } wird nicht mehr angesehen
cli-source-resumed = { $name } wird wieder angesehen
cli-source-writable = in { $name } wird auch geschrieben: was du bestätigst, und sonst nichts
cli-source-read-only = { $name } wird nur gelesen
cli-source-removed = { $name } wird nicht mehr gelesen. Anmeldung und Kalender sind vergessen; was ich von Nachrichten und Zahlungen weiß, bleibt, bis es alt ist oder du es unter Gedächtnis vergessen lässt.
cli-source-added = { $name } wird ab jetzt gelesen; verlangt es eine Anmeldung: aura source login { $name }
cli-source-keep-free = Zeit, die du freihältst, kommt in { $calendar } von { $name }, soweit dort geschrieben wird; aura source list sagt, ob sie dort ist
cli-source-has-password = { $name } hat ein Passwort: Es wurde ohne --client-id hinzugefügt
cli-source-no-address = das ist keine Adresse wie https://example.org/…
cli-source-login-kept = versiegelt aufbewahrt; aura source test { $name } probiert es aus
cli-source-nothing-typed = nichts wurde eingegeben
cli-source-type-client-secret = Client-Secret:{ " " }
cli-source-type-address = Geheime Adresse:{ " " }
cli-source-type-password = Passwort (ein App-Passwort, wo der Server so etwas hat):{ " " }
cli-source-entries = { $count ->
        [one] { $count } Eintrag
       *[other] { $count } Einträge
    }
cli-source-people = { $count ->
        [one] { $count } Person
       *[other] { $count } Personen
    }
cli-source-messages = { $count ->
        [one] { $count } Mail
       *[other] { $count } Mails
    }
cli-source-payments = { $count ->
        [one] { $count } Zahlung
       *[other] { $count } Zahlungen
    }
cli-source-nights = { $count ->
        [one] { $count } Nacht
       *[other] { $count } Nächte
    }
cli-source-in-calendars = { $count ->
        [one] { $count } Kalender
       *[other] { $count } Kalendern
    }
cli-source-in-address-books = { $count ->
        [one] { $count } Adressbuch
       *[other] { $count } Adressbüchern
    }
cli-source-in-folders = { $count ->
        [one] { $count } Ordner
       *[other] { $count } Ordnern
    }
cli-source-in-bank-accounts = { $count ->
        [one] { $count } Bankkonto
       *[other] { $count } Bankkonten
    }
cli-source-in-sensors = { $count ->
        [one] { $count } Sensor
       *[other] { $count } Sensoren
    }
cli-source-none = Kein Konto: aura source add NAME ADRESSE, oder NAME --imap HOST
cli-source-state-paused = angehalten
cli-source-state-read-and-written = gelesen und beschrieben
cli-source-state-read = gelesen
cli-source-counted-in = { $entries } in { $collections }; zuletzt { $new } neu oder geändert, { $gone } weggefallen
cli-source-counted = { $entries }; zuletzt { $new } neu oder geändert, { $gone } weggefallen
cli-source-to-do = zu tun: { $todo }
