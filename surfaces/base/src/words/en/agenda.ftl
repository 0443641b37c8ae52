agenda-agenda = Agenda
agenda-untitled-event = An event without a title
agenda-on-whole-days = all day
agenda-agenda-empty = Nothing.
agenda-agenda-not-read = I cannot read your calendar now. Either I have none, or it is busy: look again in a moment.
agenda-agenda-sources = Your sources
agenda-agenda-more = There are more events than I list here. Look at fewer days.
agenda-clashes = overlaps another
agenda-not-answered = not answered yet
agenda-cancelled = called off
agenda-tentative = not certain
agenda-zone-unknown = its time zone is unknown
agenda-free = Free
agenda-it-is-now = Now
agenda-brief-comes = Your morning brief
agenda-untitled-within = an event without a title
agenda-untitled-task = A task without a title
agenda-task-due = due
agenda-task-overdue = overdue
agenda-task-done = done
agenda-task-repeats = repeats
agenda-tasks-elsewhere = Tick a task off in the program it comes from; I only read them.
agenda-tasks-more = There are more tasks than I list here.
agenda-tasks-of-today = To do today
agenda-tasks-more-2 = These and { $count } more, which stand on the agenda.
agenda-some-time = Some time ({ $count })
agenda-task-source-calendar = calendar
agenda-task-source-todo-txt = todo.txt
agenda-task-source-taskwarrior = Taskwarrior
agenda-task-late = was due { $day }
agenda-count-tasks = { $count ->
        [one] { $count } task
       *[other] { $count } tasks
    }
agenda-tasks-of-day-done = { $count } done
agenda-tasks-of-day-done-2 = { $count }, { $done } done
agenda-day-load-nothing-planned = Nothing planned
agenda-day-load-a-light-day = A light day
agenda-day-load-a-busy-day = A busy day
agenda-day-load-a-full-day = A full day
agenda-day-load-of-events = { $minutes } of events
agenda-day-load-ways = { $count ->
        [one] { $count } journey
       *[other] { $count } journeys
    }
agenda-day-load-tasks-due = { $count ->
        [one] { $count } task due
       *[other] { $count } tasks due
    }
agenda-day-load-overdue-tasks = { $count ->
        [one] { $count } overdue task
       *[other] { $count } overdue tasks
    }
agenda-day-load-events-that-overlap = { $count ->
        [one] { $count } event that overlaps
       *[other] { $count } events that overlap
    }
agenda-day-load-in-your-quiet = { $minutes } in your quiet hours
agenda-leave-for = Leave for { $what }
agenda-with-others-with = with { $count }
agenda-count-events = { $count ->
        [one] { $count } event
       *[other] { $count } events
    }
agenda-agenda-month = Events of { $month }
agenda-count-others = { $count ->
        [one] { $count } other
       *[other] { $count } others
    }
agenda-task-important = important
agenda-held-back-times = { $count ->
        [one] once
       *[other] { $count } times
    }
agenda-free-within-hours = I look for free time within your working hours, { $hours }.
agenda-free-within = I look for free time within your working hours.
agenda-change-hours = Change working hours
