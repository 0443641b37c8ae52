people-people = Leute und Chats
people-people-says = Wer dir schreibt und wo. Namen hole ich jedes Mal aus deinen eigenen Mails, Chats und Kontakten. Ich speichere keine, außer denen, die du eingetippt hast.
people-people-whom = Zeigen
people-people-both = Leute und Chats
people-people-only = Leute
people-chats-only = Chats
people-people-order = Zuerst
people-loudest = die lautesten
people-most-recent = die neuesten
people-nobody-yet = Noch niemand: Ich habe keine Nachrichten gelesen.
people-nobody-found = Ich erinnere mich an niemanden mit diesem Namen.
people-is-muted = Stumm.
people-person-gone = Dazu habe ich nichts aufbewahrt
people-person-gone-says = Du hast es vergessen lassen, es wurde zu alt, oder von dort kam nie etwas.
people-sender-unknown = Ich kann nicht sagen, wer das gesendet hat
people-sender-unknown-says = Die Nachricht ist älter als ein Tag, du hast sie vergessen lassen, oder ich bin noch mit deinen Nachrichten beschäftigt. Sieh gleich noch einmal nach.
people-person-not-read = Ich bin noch mit deinen Nachrichten beschäftigt, darum fehlen die Zahlen von heute. Ich sehe gleich wieder nach.
people-person-do = Was du tun kannst
people-name-one-name-them = Benennen
people-name-one-name-it = Benennen
people-take-name-away = Deinen Namen entfernen
people-class-says = Was ihre Nachrichten für dich sind. Ich lerne daraus.
people-mute = Stumm für
people-name-one-1-hour = 1 Stunde
people-name-one-8-hours = 8 Stunden
people-name-one-24-hours = 24 Stunden
people-rules-about = Deine Regeln dazu
people-writes-in = Schreibt in
people-who-writes = Wer hier schreibt
people-known = Was ich weiß
people-known-nothing = Ich habe nichts dazu aufbewahrt.
people-known-things = Was ich notiert habe
people-known-links = Wer wo geschrieben hat
people-known-traces = Entscheidungen
people-known-other = Etwas anderes dazu.
people-forget-them-says = Zuerst zeige ich, was wegfiele. Dann kannst du es dir zehn Sekunden lang anders überlegen.
people-count-messages = { $count ->
        [one] { $count } Nachricht
       *[other] { $count } Nachrichten
    }
people-messages-in-all = { $count ->
        [one] { $count } Nachricht gezählt
       *[other] { $count } Nachrichten gezählt
    }
people-waits-for-you = wartet auf deine Antwort
people-chat-name-only-mail = Mail
people-chat-name-mail = Mail ({ $folder })
people-more-people = { $more } weitere. Tippe einen Namen ein, um sie zu finden.
people-people-unnamed-one-more-has = Ein weiterer Eintrag hat keinen Namen, den ich jetzt erfragen kann.
people-people-unnamed-more-have-no = { $count } weitere haben keinen Namen, den ich jetzt erfragen kann.
people-about-link = Über { $name }
people-named-by-you-call-them = So nennst du sie.
people-named-by-you-call-it = So nennst du das.
people-named-by-so-your-contacts = So steht es in deinen Kontakten.
people-named-by-so-they-call = Der Name steht so beim Absender.
people-named-by-so-it-is = So heißt der Chat in seinem Programm.
people-named-by-a-folder-of = Ein Ordner deiner Mail.
people-named-by-called-by-the = Benannt nach dem Programm, über das es kam: Den eigenen Namen bewahre ich nicht auf.
people-named-by-nobody-gives-me = Namen behalte ich nicht, und seit dem Start habe ich keinen gehört. Du kannst einen geben.
people-one-of-addresses = { $count } Adressen und Nummern zählen als diese Person, laut deinen Kontakten oder weil du es gesagt hast.
people-by-ways-by-mail = per Mail
people-a-chat = Ein Chat.
people-chat-on = Ein Chat in { $name }.
people-by-ways-on = über { $name }
people-by-ways-and = { $value } und { $said }
people-last-day = In den letzten 24 Stunden
people-kept-messages = In allem Aufbewahrten
people-waiting-now = Wartet auf deine Antwort
people-you-answer = Von dir beantwortet
people-not-said-yet = …
people-said-times = { $count ->
        [one] { $says }.
       *[other] { $says }, { $count }{"\u00A0"}Mal.
    }
people-since-day = seit { $day }
people-waiting-count-none = keine
people-waiting-count-the-oldest = { $count }, die älteste { $since }
people-answered-of-within-as-a = , meist innerhalb von { $within }
people-answered-of-of = { $received ->
        [one] { $answered } von der { $received } Nachricht, die ich gezählt habe{ $fast }
       *[other] { $answered } von den { $received } Nachrichten, die ich gezählt habe{ $fast }
    }
people-muted-until = Stumm bis { $at }.
people-mute-for = { $name } für { $long } stumm schalten
people-rule-effect = Ich werde über { $name } nichts mehr sagen.
people-count-counts-of = { $count ->
        [one] { $count } Zählung von Nachrichten
       *[other] { $count } Zählungen von Nachrichten
    }
people-count-decisions = { $count ->
        [one] { $count } Entscheidung
       *[other] { $count } Entscheidungen
    }
people-chat-day-one-wanted-something = { $day }: { $all }, eine wollte etwas von dir.
people-chat-day-wanted-something-of = { $day }: { $all }, { $more } wollten etwas von dir.
people-writer-note = Schreibt dir; zuletzt gesehen: { $seen }.
people-count-written-in = { " " }in { $chat }
people-count-written-on = { $who }am { $day } { $all }{ $chat }.
people-count-through-came-through-one = Am { $day } über ein Programm: { $all }.
people-act-on-day = Auf den { $day } bezog sich etwas weiter oben.
people-weighed-beside = { $at }: neben etwas anderem abgewogen.
people-you-call-it = Du nennst es { $name }.
people-stands = Was gilt, bis du es zurücknimmst
people-known-more = Und { $more } ältere. Eine Kopie von allem enthält sie alle.
people-count-notes = { $count ->
        [one] { $count } Notiz
       *[other] { $count } Notizen
    }
people-known-total-name-of-person = dein Name für diese Person
people-known-total-name-of-chat = dein Name für diesen Chat
people-known-total-of-person = { $total ->
        [one] { $total } Eintrag nennt diese Person: { $parts }. Eine Kopie von allem enthält genau das.
       *[other] { $total } Einträge nennen diese Person: { $parts }. Eine Kopie von allem enthält genau das.
    }
people-known-total-of-chat = { $total ->
        [one] { $total } Eintrag nennt diesen Chat: { $parts }. Eine Kopie von allem enthält genau das.
       *[other] { $total } Einträge nennen diesen Chat: { $parts }. Eine Kopie von allem enthält genau das.
    }
people-you-call-person = Du nennst diese Person { $name }.
people-you-call-chat = Du nennst diesen Chat { $name }.
people-you-call-shop = Du nennst dieses Geschäft { $name }.
people-you-call-payment = Du nennst diese Zahlung { $name }.
people-you-call-event = Du nennst diesen Termin { $name }.
people-you-call-message = Du nennst diese Nachricht { $name }.
