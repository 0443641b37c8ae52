picture-day-picture-on-the-way = On the way, with time to spare
picture-day-picture-all-day = all day
picture-day-picture-when = When
picture-day-picture-what = What
picture-day-spoke = What I said or did:
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
