welcome-welcome-title-page = Aura: Willkommen
welcome-welcome-continue = Weiter
welcome-welcome-skip = Überspringen
welcome-welcome-leave = Willkommen verlassen
welcome-welcome-finish = Zu Aura
welcome-welcome-again = Das Willkommen, noch einmal
welcome-welcome-step = Schritt { $step } von { $of }
welcome-welcome-what = Was Aura ist
welcome-welcome-what-says-aura-reads-what = Aura liest, was du auf diesem Rechner erlaubst: Mail, Kalender, Zahlungen, Schlaf.
welcome-welcome-what-says-most-of-the = Meistens sagt sie nichts. Höchstens dreimal am Tag zeigt sie eine Karte, die die Unterbrechung wert ist.
welcome-welcome-what-says-nothing-leaves-this = Nichts verlässt diesen Rechner, es sei denn, du nennst selbst einen Server. Es gibt kein Benutzerkonto, und was Aura aufbewahrt, ist verschlüsselt.
welcome-welcome-what-says-you-can-always = Du kannst immer sehen, warum sie sprach oder schwieg, kannst zurücknehmen, was du erlaubt hast, und alles vergessen lassen.
welcome-welcome-key = Dein Schlüssel
welcome-welcome-key-says = Alles, was Aura aufbewahrt, ist mit einem Schlüssel versiegelt. Er wurde auf diesem Rechner gemacht, für dich allein.
welcome-welcome-key-lost = Geht der Schlüssel verloren und gibt es kein Wiederherstellungsblatt, kann niemand öffnen, was Aura aufbewahrt hat: nicht du und sonst auch niemand. Deine eigenen Dateien bleiben, wie sie sind.
welcome-welcome-key-place-it-lies-in = Er liegt im Schlüsselbund dieses Rechners, der sich öffnet, wenn du dich anmeldest.
welcome-welcome-key-place-it-is-made = Er entsteht aus deiner Passphrase, nach der bei jedem Start gefragt wird.
welcome-welcome-key-place-it-lies-in-2 = Er liegt in der Datei { $path }. Bewahre eine Kopie dieser Datei an einem anderen Ort auf: Wer sie und die Platte dieses Rechners hat, kann lesen, was Aura aufbewahrt.
welcome-welcome-key-place-it-is-in = Er ist allein in Auras eigenem Arbeitsspeicher und vergeht mit ihm.
welcome-welcome-sources = Was ich lesen darf
welcome-welcome-sources-says = Kreuze an, was ich lesen darf. Was darin ist, zählt ein Programm, das nur diese eine Datei oder diesen einen Ordner öffnen kann und nichts behält. Du kannst alles später beenden.
welcome-welcome-you = Über dich
welcome-welcome-you-says = All das kannst du später ändern, und alles davon kannst du lassen, wie es ist.
welcome-welcome-shown = Wo Karten erscheinen
welcome-welcome-page = Diese Seite
welcome-welcome-page-says = Lass sie offen, oder füge sie über das Menü des Browsers deinem Startbildschirm hinzu. Eine Karte erscheint von selbst.
welcome-welcome-watch = Deine Uhr
welcome-welcome-watch-says = Eine Seite für runde Bildschirme.
welcome-welcome-ntfy = Benachrichtigungen auf deinem Telefon
welcome-welcome-ntfy-on = Eingerichtet, über deinen eigenen Server.
welcome-welcome-ntfy-off = Nicht eingerichtet. Dafür braucht es einen eigenen Server für Benachrichtigungen.
welcome-welcome-speech = Laut gesagt
welcome-welcome-speech-on = An: Eine Karte wird einmal angesagt, ohne ihren Inhalt.
welcome-welcome-speech-off = Aus.
welcome-welcome-first = Deine erste Karte
welcome-welcome-nothing-read = Ich darf noch nichts lesen, also habe ich nichts zu sagen. Erlaube deinen Kalender, deine Mail oder einen Kontoauszug, dann kann ich deine erste Karte machen.
welcome-welcome-to-sources = Etwas erlauben
welcome-welcome-look = Jetzt nachsehen
welcome-welcome-look-says = Ist etwas eine Karte wert, erscheint sie hier in wenigen Sekunden. Wenn nicht, sage ich, warum ich schwieg.
welcome-welcome-read = Bisher gelesen
welcome-welcome-more = Was Karten besser macht
welcome-card-comes-when-of-the-last = Vom letzten Tag gibt es keine. Eine Karte kommt, wenn jemand auf deine Antwort wartet.
welcome-card-comes-when-a-card-comes = Eine Karte kommt, wenn jemand auf deine Antwort wartet oder ein Chat laut wird.
welcome-card-comes-when-there-is-no = Es gibt keinen Termin, den ich lesen kann. Eine Karte kommt, wenn sich zwei überschneiden oder es Zeit ist aufzubrechen.
welcome-card-comes-when-a-card-comes-2 = Eine Karte kommt, wenn sich zwei überschneiden oder es Zeit ist aufzubrechen.
welcome-card-comes-when-there-is-no-2 = Es gibt keine Zahlung, die ich lesen kann. Eine Karte kommt, wenn eine ungewöhnlich ist.
welcome-card-comes-when-a-card-comes-3 = Eine Karte kommt, wenn eine ungewöhnlich ist oder das Geld bis zum Monatsende nicht reichen würde.
welcome-card-comes-when-a-card-comes-4 = Eine Karte kommt, wenn eine ungewöhnlich ist. Mit deinem Kontostand, von dir oder aus einem Kontoauszug, kommt auch eine, wenn das Geld bis zum Monatsende nicht reichen würde.
welcome-card-comes-when-there-is-none = Es gibt keinen, den ich lesen kann. Eine Karte kommt, wenn du unter Stress stehst.
welcome-card-comes-when-a-card-comes-5 = Eine Karte kommt, wenn du unter Stress stehst oder zu wenig geschlafen hast.
welcome-read-so-far-no-message-yet = Noch keine Nachricht
welcome-read-so-far-no-event-yet = Noch kein Termin
welcome-read-so-far-no-payment-yet = Noch keine Zahlung
welcome-read-so-far-no-measurement-yet = Noch kein Messwert
welcome-read-so-far-no-decision-yet = Noch keine Entscheidung
welcome-still-reading = liest noch
welcome-reading-bar = Ich lese { $read_things }
welcome-read-to-the-end = gelesen
welcome-read-others = Alle anderen
welcome-not-begun = noch nicht begonnen
welcome-would-add-with-your-calendar = Mit deinem Kalender kann ich dir sagen, wann du losmusst und was sich überschneidet.
welcome-would-add-with-your-mail = Mit deiner Mail kann ich dir sagen, wer auf Antwort wartet.
welcome-would-add-with-a-statement = Mit einem Kontoauszug deiner Bank kann ich zeigen, wo der Monat endet.
welcome-would-add-with-your-sleep = Mit deinem Schlaf und deinem Puls weiß ich, wann ich dich in Ruhe lassen soll.
welcome-would-add-with-your-contacts = Mit deinen Kontakten nenne ich Leute so wie du und weiß, dass zwei Adressen eine Person sind.
welcome-messages-of-a-day = { $count ->
        [one] { $count } Nachricht der letzten 24 Stunden
       *[other] { $count } Nachrichten der letzten 24 Stunden
    }
welcome-count-messages = { $count ->
        [one] { $count } Nachricht
       *[other] { $count } Nachrichten
    }
welcome-count-events = { $count ->
        [one] { $count } Termin
       *[other] { $count } Termine
    }
welcome-count-payments = { $count ->
        [one] { $count } Zahlung
       *[other] { $count } Zahlungen
    }
welcome-count-measurements = { $count ->
        [one] { $count } Messwert
       *[other] { $count } Messwerte
    }
welcome-count-decisions = { $count ->
        [one] { $count } Entscheidung
       *[other] { $count } Entscheidungen
    }
