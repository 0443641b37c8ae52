learned-learned = Was ich von dir gelernt habe
learned-nothing-learned = Noch nichts. Beantworte eine Mail oder tippe auf einer Karte zu Nachrichten auf „Nützlich“ oder „Verwerfen“, dann lerne ich daraus.
learned-too-little = { $count ->
        [one] Du hast eine Sache getan, aus der ich lerne. Das reicht noch nicht, um jemanden anders zu behandeln.
       *[other] Du hast { $count } Dinge getan, aus denen ich lerne. Das reicht noch nicht, um jemanden anders zu behandeln.
    }
learned-learned-not-read = Ich bin noch mit deinen Nachrichten beschäftigt. Sieh gleich noch einmal nach.
learned-somebody = Jemand, von dem du Mail bekommst
learned-one-list = Eine Liste oder ein Chat
learned-somebody-asked = Jemand, dem du geschrieben hast
learned-reset = Zurücksetzen
learned-reset-all = Alles zurücksetzen
learned-only-news = Nur Neuigkeiten
learned-matters = Mir wichtig
learned-learned-from-you-taught-me = Du hast mir nichts von Hand beigebracht: Das kommt von dem, was du beantwortet hast.
learned-learned-from-this-rests-on = Ich lerne daraus, wie du antwortest, und bisher aus einer Sache, die du getan hast.
learned-learned-from-this-rests-on-2 = Ich lerne daraus, wie du antwortest, und bisher aus { $more } Dingen, die du getan hast.
learned-learned-this-sender = diesen Absender
learned-learned-this-list = diese Liste
learned-learned-i-treat-as = Ich behandle { $who } als { $class }: Du hast es mir gesagt.
learned-learned-you-asked-and = Du hast gefragt, und es gibt noch keine Antwort.
learned-learned-i-treat-as-2 = Ich behandle { $who } als { $class }: { $received ->
        [one] { $received } Nachricht
       *[other] { $received } Nachrichten
    }, und du hast nie geantwortet.
learned-learned-within = , innerhalb von { $within }
learned-learned-i-treat-as-3 = Ich behandle { $who } als { $class }: Du hast { $answered } von { $received ->
        [one] { $received } Nachricht
       *[other] { $received } Nachrichten
    } beantwortet{ $fast }.
learned-learned-dismissed-or-muted = verworfen oder stumm geschaltet
learned-learned-answered-or-found = beantwortet oder nützlich gefunden
learned-learned-i-treat-as-4 = Ich behandle { $who } als { $class }: Du hast { $did }, was von dort kam.
learned-treated-something-that-needs = etwas, das dich braucht
learned-treated-a-question-to = Frage an eine Gruppe
learned-treated-a-date-to = Terminabsprache
learned-treated-bills = Rechnungen
learned-treated-codes = Codes
learned-treated-news = Neuigkeiten
learned-treated-small-talk = Plauderei
learned-treated-something-you-wait = etwas, worauf du wartest
learned-treated-spam = Spam
learned-within-a-minute = einer Minute
learned-within-minutes = { $minutes } Minuten
learned-within-an-hour = einer Stunde
learned-within-hours = { $value } Stunden
learned-within-a-day = einem Tag
