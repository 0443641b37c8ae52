figures-of-100 = von 100
figures-ms = ms
figures-hours = Stunden
figures-span-of-day = { $least } bis { $most }
figures-reading-messages = Nachrichten
figures-reading-want-an-answer = Warten auf deine Antwort
figures-reading-in-the-busiest = Im lebhaftesten Chat
figures-reading-important-unread-mail = Wichtige ungelesene Mails
figures-reading-events-left-today = Termine heute noch
figures-reading-overlapping-events = Überschneidungen
figures-reading-way-to-the = Weg zum nächsten Termin
figures-reading-kept-free-before = Puffer vor dem Aufbruch
figures-reading-until-you-have = Bis zum Aufbruch
figures-reading-spent-today = Heute ausgegeben, insgesamt
figures-reading-against-a-usual = Insgesamt, gegenüber dem Tagesdurchschnitt
figures-reading-how-far-out = Abweichung (robustes z)
figures-reading-payments-not-sorted = Zahlungen ohne Kategorie
figures-reading-balance-at-the = Kontostand am Monatsende
figures-reading-until-the-balance = Dein Geld reicht
figures-reading-load-score-of = Belastungswert, von 100
figures-reading-heart-rate-variability = Herzratenvariabilität (RMSSD)
figures-reading-variability-against-your = Variabilität gegenüber deinem Median (z)
figures-reading-slept-last-night = Schlaf letzte Nacht
figures-reading-sleep-missing = Zum gewünschten Schlaf fehlen
figures-reading-typing-entropy = Entropie beim Tippen
figures-reading-program-switches = Programmwechsel
figures-reading-share-of-notifications = Anteil verworfener Benachrichtigungen
figures-reading-screen-in-the = Bildschirmzeit der letzten Stunde
figures-reading-load-below-its = Belastung unter der letzten Spitze um
figures-reading-line-messages = { $counted ->
        [one] { $counted } Nachricht
       *[other] { $counted } Nachrichten
    }
figures-reading-line-want-an-answer = { $counted ->
        [one] { $counted } wartet auf deine Antwort
       *[other] { $counted } warten auf deine Antwort
    }
figures-reading-line-messages-in-the = { $counted ->
        [one] { $counted } Nachricht im lebhaftesten Chat
       *[other] { $counted } Nachrichten im lebhaftesten Chat
    }
figures-reading-line-load-of-100 = Belastung { $value } von 100
figures-reading-line-load-fell-by = Belastung um { $value } gesunken
figures-reading-line-slept = { $value } geschlafen
figures-reading-line-of-sleep-missing = { $value } zu wenig Schlaf
figures-reading-line-events-left-today = { $counted ->
        [one] Heute noch { $counted } Termin
       *[other] Heute noch { $counted } Termine
    }
figures-reading-line-to-get-there = { $value } bis dorthin
figures-reading-line-spent-today = { $value } heute ausgegeben
figures-category-eating-out-and = Restaurants und Lieferdienste
figures-category-groceries = Lebensmittel
figures-category-getting-around = Fahrten
figures-category-shopping = Einkäufe
figures-category-entertainment = Unterhaltung
figures-category-bills = Rechnungen
figures-category-rent = Miete
figures-category-education = Bildung
figures-category-health = Gesundheit
figures-category-travel = Reisen
figures-category-transfers-to-people = Überweisungen an Leute
figures-category-subscriptions = Abos
figures-category-investments = Geldanlagen
figures-category-other-things = Sonstiges
figures-severity-slightly-unusual = leicht ungewöhnlich
figures-severity-clearly-unusual = deutlich ungewöhnlich
figures-severity-far-from-usual = äußerst ungewöhnlich
figures-messages-there = { $counted ->
        [one] { $counted } Nachricht dort in letzter Zeit
       *[other] { $counted } Nachrichten dort in letzter Zeit
    }
