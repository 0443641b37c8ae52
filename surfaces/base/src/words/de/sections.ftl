sections-nothing-measured = Noch ist nichts gemessen.
sections-nothing-spent-known = Ich weiß von keiner Zahlung heute.
sections-not-read = nicht gelesen
sections-one-chat = Ein Chat
sections-why-this = Warum das, warum jetzt
sections-now = Jetzt
sections-brief = Überblick
sections-chats = Chats
sections-money = Geld
sections-body = Befinden
sections-memory = Gedächtnis
sections-settings = Einstellungen
sections-sections = Bereiche
sections-look-now = Jetzt nachsehen
sections-needs-script = Diese Seite braucht ihr eigenes Skript, um zu antworten und aktuell zu bleiben.
sections-skip = Zum Inhalt
sections-on-this-page = Auf dieser Seite
sections-as-table = Dasselbe als Tabelle
sections-todays-brief = Morgenüberblick von heute
sections-no-brief-yet = Dein nächster Morgenüberblick, soweit ich weiß
sections-brief-shown = So, wie er um { $at } zusammengestellt wurde.
sections-nothing-waits = Von den Nachrichten der letzten { $days } Tage wartet keine auf deine Antwort.
sections-waiting-not-read = Ich habe noch keine Nachrichten, oder ich lese sie gerade. Sieh gleich noch einmal nach.
sections-all-that-waits = Alle, die auf deine Antwort warten
sections-tomorrow = Morgen
sections-somebody-wrote = Jemand
sections-somebody-in = Jemand in { $chat }
sections-tomorrow-2 = Morgen: { $who }
sections-since = seit { $at }
sections-written-in-asks-you-something = Fragt dich etwas.
sections-written-in-asks-the-group = Fragt die Gruppe.
sections-written-in-a-date-to = Ein Termin ist zu vereinbaren.
sections-written-in-a-bill-or = Eine Rechnung oder eine Frist.
sections-written-in-a-code = Ein Code.
sections-written-in-wants-an-answer = Wartet auf Antwort.
sections-written-in-by-mail = { $what } Per Mail.
sections-written-in-in = { $what } In { $chat }.
sections-more-wait = { $more ->
        [one] Alle zeigen: { $more } weitere wartet
       *[other] Alle zeigen: { $more } weitere warten
    }
sections-one-more-waits-and-one-more = Noch eine Nachricht wartet, per Mail
sections-one-more-waits-and-one-more-2 = Noch eine Nachricht wartet, in { $chat }
sections-one-more-waits-and-one-more-3 = Noch eine Nachricht wartet
sections-more-also-wait = Noch { $more } Nachrichten warten
sections-wait-now-one-waits-now = Eine Nachricht wartet auf deine Antwort:
sections-wait-now-wait-now = { $count } Nachrichten warten auf deine Antwort:
sections-muted-now = Jetzt stumm
sections-unmute = Nicht mehr stumm
sections-unmute-2 = Nicht mehr stumm: { $chat }
sections-mute-a-chat = Chat stumm schalten
sections-mute-another = Einen der anderen Chats stumm schalten
sections-no-mute = Kein Chat ist stumm.
sections-loud-today = Heute laut
sections-loud-messages = { $count ->
        [one] { $count } Nachricht in 10 Minuten
       *[other] { $count } Nachrichten in 10 Minuten
    }
sections-no-burst = Heute war kein Chat laut. Laut nenne ich einen Chat ab 30 Nachrichten in 10 Minuten.
sections-last-digest = Die letzte Übersicht heute
sections-no-digest = Endet eine Stummschaltung, fasse ich hier zusammen, was du verpasst hast. Heute ist noch keine zu Ende.
sections-until = bis { $at }
sections-spent-lately = Die letzten sieben Tage
sections-spent-in-seven-days = In sieben Tagen ausgegeben
sections-months-end = Das Monatsende
sections-unusual-lately = Ungewöhnliches der letzten sieben Tage
sections-nothing-unusual = An keinem Tag fielen die Ausgaben auf. Ich beurteile Summen, nicht die Zahl der Zahlungen.
sections-nothing-unusual-so-far = An den Tagen, die ich beurteilen kann, fielen die Ausgaben nicht auf. Ich beurteile Summen, nicht die Zahl der Zahlungen.
sections-unusual-too-early = Ungewöhnlich nenne ich einen Tag, sobald ich die sieben Tage davor kenne. Bisher kenne ich { $days ->
        [0] keinen
        [one] einen
       *[other] { $days }
    }.
sections-unusual-too-early-in = { $currency }: noch zu wenige Tage für ein Urteil, { $days } von 7.
sections-unusual-few-days = Ich kenne { $days ->
        [one] den Tag
       *[other] die { $days } Tage
    } vor heute.
sections-unusual-rare-one = { $category } { $days } von 5 Tagen
sections-unusual-rare = Noch zu wenige Tage mit Ausgaben für ein Urteil: { $named }{ $more }.
sections-sorted-when-looking = Ich sortiere sie, wenn ich nachsehe, bis zu 64 auf einmal.
sections-paid-to = an { $name }
sections-largest-payment = deine größte Zahlung seit { $days ->
        [one] einem Tag
       *[other] { $days } Tagen
    }, das { $times }-Fache der nächstgrößten; { $day }
sections-largest-payment-beside-bills = deine größte Zahlung außer Rechnungen seit { $days ->
        [one] einem Tag
       *[other] { $days } Tagen
    }, das { $times }-Fache der nächstgrößten; { $day }
sections-unusual = { $severity }; ein gewöhnlicher Tag: { $usual }; { $day }
sections-measured-usually-at = gewöhnlich { $usual }; um { $at }
sections-measured-at = um { $at }
sections-load-now = Belastung
sections-load-range = 0 bis 100. Ab 70 behandle ich dich als gestresst, bis er unter 65 fällt.
sections-what-drives-it = Was sie bestimmt
sections-load-base = Die Belastung, wenn nichts ungewöhnlich ist
sections-load-rest = Alles Übrige
sections-load-rest-says = Kleinere Messwerte, die Stunde am Abend und in der Nacht und das Runden. Die Belastung bleibt immer zwischen 0 und 100.
sections-drivers-not-said = In letzter Zeit wurde nichts gemessen, oder ich rechne gerade.
sections-no-driver = Nichts fällt auf.
sections-measured = Heute gemessen
sections-measured-last = Zuletzt gemessen
sections-slept = Schlaf
sections-not-raised = Deine Belastung ist nicht erhöht, einzelne ihrer Zeichen liegen aber außerhalb ihres Bereichs.
sections-state-now = { $wellness }.
sections-was-stressed = Bei der letzten Messung wirktest du gestresst ({ $then } von 100). Inzwischen sind es { $now }.
sections-was-as-usual = Bei der letzten Messung wirktest du wie sonst ({ $then } von 100). Inzwischen sind es { $now }.
sections-recovering-until = Ich bleibe bis { $at } still.
sections-one-point = 1 Punkt
sections-points = { $points } Punkte
sections-feature-heart-rate-variability = Herzratenvariabilität
sections-feature-sleep = Schlaf
sections-feature-typing = Tippen
sections-feature-program-switches = Programmwechsel
sections-feature-dismissed-notifications = Verworfene Benachrichtigungen
sections-feature-screen = Bildschirmzeit
sections-in-force = Wie ich mich verhalte
sections-settings-says = Das gilt jetzt.
sections-zone = Zeitzone
sections-ceiling = Unterbrechungen am Tag, höchstens
sections-brief-time = Morgenüberblick
sections-quiet-hours = Ruhezeiten
sections-no-hours = keine
sections-around = Verbindungen
sections-model = Sprachmodell
sections-connected = Wo ich jetzt sprechen kann
sections-only-this-page = nirgends: Die Seite Jetzt ist auf keinem Gerät offen
sections-open-page = auf der Seite Jetzt, die offen ist
sections-origin-file = aus deiner Datei
sections-origin-default = Voreinstellung
sections-origin-unknown = woher, ist nicht bekannt
sections-other-pages = Andere Seiten
sections-rules = Wann ich still bin
sections-span = { $from } bis { $to }
sections-model-none-sentences-are = keines; meine Sätze stehen fest
sections-model-ready = bereit
sections-model-being-loaded = wird geladen
sections-model-cannot-be-used = keines, das ich verwenden kann; meine Sätze stehen fest
sections-rule-tried-nothing-was-shown = Seit { $since } wurde nichts gezeigt, also hätte sich nichts geändert.
sections-rule-tried-since-this-would = Seit { $since } hätte das nichts geändert.
sections-rule-tried-since-this-would-2 = Seit { $since } hätte das 1 Karte von { $shown } zurückgehalten.
sections-rule-tried-since-this-would-3 = Seit { $since } hätte das { $n } Karten von { $shown } zurückgehalten.
sections-rule-tried-people-and-chats = Leute und Chats
sections-rule-tried-devices-that-may = Gekoppelte Geräte
sections-rule-tried-the-watchs-face = Die Seite für die Uhr
sections-rule-tried-workflows-and-their = Abläufe und ihre Fragen
sections-rule-tried-the-operators-console = Die Konsole für den Betrieb
sections-rule-tried-devices = Geräte
sections-rule-tried-workflows = Abläufe
sections-rule-tried-console = Konsole
