account-forms-title = Ein Konto auf einem Server hinzufügen
account-forms-says = Ich lese es, wo es ist, und ändere dort nichts, wenn du es nicht später erlaubst. Ich verbinde mich mit keinem Server, bevor du seinen Namen gesehen und einen Knopf gedrückt hast.
account-forms-what = Was ich dort lesen darf
account-forms-what-calendars = Kalender und Aufgaben
account-forms-what-mail = Mails
account-forms-what-mail-jmap = Mails, wo der Anbieter JMAP spricht
account-forms-link = Ein Kalender, über seinen Link
account-forms-link-means = Für Google, Outlook und andere, die einem Kalender einen geheimen Link geben, der meist auf .ics endet. Wer den Link hat, kann den Kalender lesen, deshalb versiegle ich ihn wie ein Passwort.
account-forms-address = Deine Mailadresse oder die Adresse des Servers
account-forms-link-address = Der Link
account-forms-user = Benutzername
account-forms-user-means = Meist deine Mailadresse.
account-forms-password = App-Passwort
account-forms-password-means = Ein App-Passwort ist ein zweites Passwort, nur für ein Programm. Du legst es an, wo du dein Konto verwaltest, und kannst es dort zurücknehmen, ohne dein eigenes zu ändern. Ein Anbieter, der keine kennt, nimmt dein gewöhnliches Passwort.
account-forms-where = Wo du eines anlegst
account-forms-where-apple = Apple: account.apple.com, „Anmeldung und Sicherheit“, „App-spezifische Passwörter“.
account-forms-where-fastmail = Fastmail: „Settings“, „Privacy & Security“, „App passwords“.
account-forms-where-gmx = GMX und WEB.DE: „Mein Account“, „Sicherheit“, „Anwendungsspezifische Passwörter“.
account-forms-where-google = Google (Mails): myaccount.google.com/apppasswords, sobald die Anmeldung zwei Schritte hat.
account-forms-where-yahoo = Yahoo: „Accountsicherheit“, „App-Passwörter“.
account-forms-where-nextcloud = Nextcloud: „Einstellungen“, „Sicherheit“, „Neues App-Passwort erstellen“.
account-forms-more = Ein eigener Server
account-forms-private = Er steht auf diesem Rechner oder in meinem eigenen Netz
account-forms-certificate = Fingerabdruck seines Zertifikats (SHA-256)
account-forms-certificate-means = Nur nötig, wo dieser Rechner der Stelle nicht traut, von der das Zertifikat stammt.
account-forms-look = Nachsehen
account-forms-suggestion = Die Kalender von { $address } liegen wahrscheinlich bei { $host }. Ich habe mich noch mit nichts verbunden.
account-forms-suggestion-mail = Die Mails von { $address } liegen wahrscheinlich bei { $host }. Ich habe mich noch mit nichts verbunden.
account-forms-suggestion-mail-means = Wenn dein Anbieter für IMAP einen anderen Server nennt, schreibe dessen Adresse anstelle der Mailadresse.
account-forms-suggestion-jmap-means = Statt eines Passworts gibt dir dein Anbieter vielleicht ein API-Token für JMAP: Trage es als Passwort ein und lass den Benutzernamen leer. Wenn er für JMAP einen anderen Server nennt, schreibe dessen Adresse anstelle der Mailadresse.
account-forms-suggestion-means = Wenn dein Anbieter für CalDAV einen anderen Server nennt, schreibe dessen Adresse anstelle der Mailadresse.
account-forms-google = Google gibt seine Kalender keinem Programm über ein Passwort, sondern über einen geheimen Link: in Google Kalender unter „Einstellungen“, dein Kalender, „Privatadresse im iCal-Format“. Trage ihn unten ein, unter „Ein Kalender, über seinen Link“.
account-forms-microsoft = Microsoft gibt seine Kalender keinem Programm über ein Passwort, sondern über einen Link: in Outlook im Web unter „Einstellungen“, „Kalender“, „Freigegebene Kalender“, „Kalender veröffentlichen“, ICS. Trage ihn unten ein, unter „Ein Kalender, über seinen Link“.
account-forms-ask = { $host } fragen
account-forms-own-network = Er steht in meinem eigenen Netz
account-forms-folders = { $count ->
        [one] Ein Ordner
       *[other] { $count } Ordner
    }
account-forms-messages = { $count ->
        [one] eine Mail der letzten zwei Tage
       *[other] { $count } Mails der letzten zwei Tage
    }
account-forms-calendars = { $count ->
        [one] Ein Kalender
       *[other] { $count } Kalender
    }
account-forms-events = { $count ->
        [one] ein Termin
       *[other] { $count } Termine
    }
account-forms-tasks = { $count ->
        [one] eine Aufgabe
       *[other] { $count } Aufgaben
    }
account-forms-name = Name des Kontos
account-forms-name-means = Kleine Buchstaben, Ziffern, - und _.
account-forms-allow = Was du erlaubst
account-forms-allow-read = Ich lese diese Kalender auf { $host } jede Minute. Ich ändere dort nichts, wenn du es nicht später erlaubst.
account-forms-allow-kept = Sie liegen versiegelt auf diesem Rechner, damit ich deinen Tag auch ohne Netz kenne, bis du sie nicht mehr lesen lässt.
account-forms-allow-read-mail = Ich lese deine Mails auf { $host }, wie sie kommen. Ich markiere nichts als gelesen, hole keine Anhänge und sende nichts.
account-forms-allow-login = Auch dein Passwort ist versiegelt. Ich zeige es { $host } und niemandem sonst.
account-forms-allow-link = Auch der Link ist versiegelt. Ich zeige ihn { $host } und niemandem sonst.
account-forms-read = Das lesen
account-forms-mistake-address = Das ist weder eine Mailadresse noch die Adresse eines Servers wie https://dav.example.org.
account-forms-mistake-not-sealed = Ohne https könnte jeder auf dem Weg es lesen. Schreibe https:// oder sage, dass der Server in deinem eigenen Netz steht.
account-forms-mistake-certificate = Das ist kein Fingerabdruck: Er hat 64 Stellen aus 0 bis 9 und a bis f.
account-forms-mistake-name = Wähle einen Namen aus kleinen Buchstaben, Ziffern, - und _, den kein anderes Konto hat.
account-forms-busy = Ich versuche gerade ein anderes Konto. Warte einen Moment und sieh noch einmal nach.
account-forms-test = Jetzt nachsehen
account-forms-test-of = Jetzt nachsehen: { $name }
account-forms-works = { $name } antwortet. { $holds }
account-forms-fails = { $problem } { $remedy }
account-forms-login = Neues Passwort
account-forms-login-of = Neues Passwort für { $name }
account-forms-new-link = Neuer Link
account-forms-new-link-of = Neuer Link für { $name }
account-forms-keep = Behalten
account-forms-stop = { $entries } und die Anmeldung werden auf diesem Rechner vergessen. Auf dem Server ändert sich nichts.
account-forms-caldav = Kalender, Mails oder Namen, mit deiner Mailadresse und einem Passwort
account-forms-caldav-means = Kalender und Namen von iCloud, Fastmail, GMX, mailbox.org, Nextcloud und anderen, die CalDAV und CardDAV sprechen; Mails von allen, die IMAP sprechen, und das sind die meisten. Füge eines nach dem anderen hinzu.
account-forms-what-names = Namen von Leuten, mit ihren Adressen und Nummern
account-forms-token = Bankkonten, über SimpleFIN
account-forms-token-means = SimpleFIN ist ein Dienst, der deine Bankkonten für dich liest und ihre Zahlungen an Programme weitergibt, die du wählst. Dort legst du ein Setup-Token an, das einmal gilt.
account-forms-token-field = Setup-Token
account-forms-suggestion-names = Die Namen von { $address } liegen wahrscheinlich bei { $host }. Ich habe mich noch mit nichts verbunden.
account-forms-suggestion-names-means = Wenn dein Anbieter für CardDAV einen anderen Server nennt, schreibe dessen Adresse anstelle der Mailadresse.
account-forms-no-password = Dieser Anbieter gibt das keinem Programm über ein Passwort. Sieh weiter unten nach, ob du dich stattdessen bei ihm anmelden kannst.
account-forms-leads-to = Das Token ist von { $host }. Ich habe mich noch mit nichts verbunden.
account-forms-found = { $places }, { $things }. Noch ist nichts aufbewahrt.
account-forms-found-with-tasks = { $places }, { $things }, { $tasks }. Noch ist nichts aufbewahrt.
account-forms-books = { $count ->
        [one] Ein Adressbuch
       *[other] { $count } Adressbücher
    }
account-forms-people = { $count ->
        [one] eine Person
       *[other] { $count } Leute
    }
account-forms-banks = { $count ->
        [one] Ein Bankkonto
       *[other] { $count } Bankkonten
    }
account-forms-payments = { $count ->
        [one] eine Zahlung der letzten 60 Tage
       *[other] { $count } Zahlungen der letzten 60 Tage
    }
account-forms-allow-kept-not = Was ich lese, liegt nur im Arbeitsspeicher dieses Rechners, in keiner Datei auf einer Platte, und wird nach jedem Start neu gelesen.
account-forms-allow-read-names = Ich lese jede Stunde Namen, Adressen und Nummern auf { $host }, sonst nichts von einer Person, und ändere dort nichts.
account-forms-allow-read-money = Ich frage { $host } viermal am Tag nach Kontoständen und Zahlungen. Geld bewegen kann ich nicht.
account-forms-allow-token = Was aus dem Token wurde, ist versiegelt. Ich zeige es { $host } und niemandem sonst.
account-forms-mistake-token = Das ist kein Setup-Token.
account-forms-new-token = Neues Setup-Token
account-forms-new-token-of = Neues Setup-Token für { $name }
account-forms-not-kept = Ich habe es nicht aufbewahrt: Es ist nicht für denselben Server oder gilt nicht mehr.
account-forms-allow-read-link = Ich lese diesen Kalender auf { $host } alle 15 Minuten und ändere dort nichts.
account-forms-allow-kept-link = Er liegt versiegelt auf diesem Rechner, damit ich deinen Tag auch ohne Netz kenne, bis du ihn nicht mehr lesen lässt.
account-forms-stop-login = Die Anmeldung wird auf diesem Rechner vergessen. Auf dem Server ändert sich nichts.
account-forms-ask-who-runs-it = Frage, wer den Server betreibt.
account-forms-see-server = Sieh nach, ob der Server läuft und seine Adresse stimmt.
account-forms-look-later = Sieh später noch einmal nach.
