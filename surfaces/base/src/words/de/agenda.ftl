agenda-agenda = Tagesplan
agenda-untitled-event = Ein Termin ohne Titel
agenda-on-whole-days = ganztägig
agenda-agenda-empty = Nichts.
agenda-agenda-not-read = Ich kann deinen Kalender jetzt nicht lesen. Entweder darf ich keinen lesen, oder der Agent „Kalender“ ist beschäftigt: Sieh gleich noch einmal nach.
agenda-agenda-sources = Deine Quellen
agenda-agenda-more = Es gibt mehr Termine, als ich hier aufführe. Sieh dir weniger Tage an.
agenda-clashes = überschneidet sich
agenda-not-answered = noch nicht beantwortet
agenda-cancelled = abgesagt
agenda-tentative = nicht sicher
agenda-zone-unknown = Zeitzone unbekannt
agenda-free = Frei
agenda-it-is-now = Jetzt
agenda-brief-comes = Dein Morgenüberblick
agenda-untitled-within = ein Termin ohne Titel
agenda-untitled-task = Eine Aufgabe ohne Titel
agenda-task-due = fällig
agenda-task-overdue = überfällig
agenda-task-done = erledigt
agenda-task-repeats = wiederholt sich
agenda-tasks-elsewhere = Hake eine Aufgabe in dem Programm ab, aus dem sie kommt; ich lese sie nur.
agenda-tasks-more = Es gibt mehr Aufgaben, als ich hier aufführe.
agenda-tasks-of-today = Heute zu tun
agenda-tasks-more-2 = Diese und { $count } weitere, die im Tagesplan stehen.
agenda-some-time = Irgendwann ({ $count })
agenda-task-source-calendar = Kalender
agenda-task-source-todo-txt = todo.txt
agenda-task-source-taskwarrior = Taskwarrior
agenda-task-late = war am { $day } fällig
agenda-count-tasks = { $count ->
        [one] { $count } Aufgabe
       *[other] { $count } Aufgaben
    }
agenda-tasks-of-day-done = { $count } erledigt
agenda-tasks-of-day-done-2 = { $count }, { $done } erledigt
agenda-day-load-nothing-planned = Nichts geplant
agenda-day-load-a-light-day = Ein leichter Tag
agenda-day-load-a-busy-day = Ein gut gefüllter Tag
agenda-day-load-a-full-day = Ein voller Tag
agenda-day-load-of-events = { $minutes } Termine
agenda-day-load-ways = { $count ->
        [one] { $count } Weg
       *[other] { $count } Wege
    }
agenda-day-load-tasks-due = { $count ->
        [one] { $count } fällige Aufgabe
       *[other] { $count } fällige Aufgaben
    }
agenda-day-load-overdue-tasks = { $count ->
        [one] { $count } überfällige Aufgabe
       *[other] { $count } überfällige Aufgaben
    }
agenda-day-load-events-that-overlap = { $count ->
        [one] { $count } Termin, der sich überschneidet
       *[other] { $count } Termine, die sich überschneiden
    }
agenda-day-load-in-your-quiet = { $minutes } in deinen Ruhezeiten
agenda-leave-for = Aufbruch: { $what }
agenda-with-others-with = mit { $count }
agenda-count-events = { $count ->
        [one] { $count } Termin
       *[other] { $count } Termine
    }
agenda-agenda-month = Termine im { $month }
agenda-count-others = { $count ->
        [one] einer anderen Person
       *[other] { $count } anderen
    }
agenda-task-important = wichtig
agenda-held-back-times = { $count ->
        [one] einmal
       *[other] { $count }{"\u00A0"}Mal
    }
agenda-free-within-hours = Freie Zeit suche ich in deinen Arbeitszeiten, { $hours }.
agenda-free-within = Freie Zeit suche ich in deinen Arbeitszeiten.
agenda-change-hours = Arbeitszeiten ändern
