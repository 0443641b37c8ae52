page-watch-title = Aura-Uhr
page-why-title = Warum
page-questions = Fragen von Abläufen
page-attention = Aufmerksamkeit
page-quiet = Ruhe
page-health = Zustand
page-answer-over = Die Zeit zum Antworten ist um.
page-s-left = s übrig
page-seconds-left = Sekunden übrig
page-nothing-worth = Alles ruhig
page-missed-something = Ich hatte etwas für dich
page-longest-first = Aus den letzten { $days } Tagen, wer am längsten wartet, zuerst:
page-who-it-is = Von:
page-wait-for-you = { $count ->
        [one] Eine Nachricht wartet auf deine Antwort
       *[other] { $count } Nachrichten warten auf deine Antwort
    }
page-missed-without-page = Keine meiner Seiten war da offen, darum behielt ich es für mich.
page-nothing-now = Jetzt nichts
page-dnd-is-on = „Nicht stören“ ist an.
page-no-decision = Heute war noch nichts.
page-other-views = Andere Ansichten
page-back = Zurück
page-to-the-start = Zur Startseite
page-no-such-page = Diese Seite gibt es nicht
page-page-out-of-scope = Dieses Gerät darf diese Seite nicht sehen
page-page-failed = Diese Seite konnte nicht gezeigt werden
page-close = Schließen
page-nothing-read = Nichts wird gelesen
page-to-sources = Wählen, was ich lesen darf
page-all-paused = Alles, was hier stünde, ist angehalten.
page-to-paused = Weiterlesen
page-nothing-read-i-read-no = Ich lese noch keine Nachrichten. Erlaube deine Mail, dann steht hier, wer auf deine Antwort wartet.
page-nothing-read-i-read-no-2 = Ich lese noch keine Zahlungen. Erlaube einen Auszug deiner Bank, dann steht hier, was du ausgibst.
page-nothing-read-i-read-no-3 = Ich lese noch keine Messwerte. Erlaube, was deine Uhr oder deine Gesundheits-App ausgibt, dann stehen hier dein Schlaf und deine Belastung.
page-nothing-read-i-read-no-4 = Ich lese noch keine Termine. Erlaube deinen Kalender, dann steht hier, was als Nächstes kommt.
page-nothing-read-i-read-nothing = Ich lese noch nichts. Erlaube deine Mail, deinen Kalender oder einen Auszug deiner Bank, dann steht hier, was darin wichtig ist.
page-next-event = Als Nächstes, { $when }:
page-later-today = Später heute
page-leave-for-it = Geh { $when } los.
page-paused-until = Pause bis { $at }.
page-interruptions-aura-does-not = Ich unterbreche dich heute nicht
page-interruptions-of-interruptions-left = Heute noch { $free } von { $ceiling ->
        [one] { $ceiling } Unterbrechung
       *[other] { $ceiling } Unterbrechungen
    }
page-interruptions-from-midnight = ab Mitternacht { $ceiling } am Tag
page-interruptions-held = Eine ist für das belegt, was gerade gezeigt wird.
page-interruptions-legend = { $free } übrig, { $held } für Gezeigtes belegt, { $used } verbraucht
page-rule-keeps-quiet = Eine Regel von dir hält mich gerade still: { $rule }.
