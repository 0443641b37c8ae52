picture-day-picture-on-the-way = On the way, with time to spare
picture-day-picture-all-day = all day
picture-day-picture-and = { $events }, { $decisions } and { $silences }.
picture-day-picture-when = When
picture-day-picture-what = What
picture-day-count-other-decisions = { $count ->
        [one] { $count } other decision
       *[other] { $count } other decisions
    }
picture-day-silences = { $count ->
        [one] { $count } decision to stay silent
       *[other] { $count } decisions to stay silent
    }
picture-day-events = { $count ->
        [one] { $count } event with a time
       *[other] { $count } events with a time
    }
