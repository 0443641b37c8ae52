picture-day-picture-on-the-way = On the way, with time to spare
picture-day-picture-all-day = all day
picture-day-picture-when = When
picture-day-picture-what = What
picture-day-count-other-decisions = { $count ->
        [one] I spoke or did something once.
       *[other] I spoke or did something { $count } times.
    }
picture-day-held-back = { $count ->
        [one] I kept quiet once.
       *[other] I kept quiet { $count } times.
    }
picture-day-silences = { $count ->
        [0] never held back
        [one] held back once
       *[other] held back { $count } times
    }
picture-day-events = { $count ->
        [0] Nothing with a time.
        [one] { $count } event with a time.
       *[other] { $count } events with a time.
    }
