picture-lines-load-load-score = load score
picture-lines-load-in-seven = Your load score, as it was at { $count } of my looks in seven days. { $more }
picture-lines-load-its-highest-was = Its highest was { $number }, and { $count } at 70 or above, where stress begins.
picture-lines-load-load-score-2 = Load score
picture-lines-rmssd-heart-rate-variability = heart-rate variability (RMSSD)
picture-lines-rmssd-what-is-usual = What is usual for you is not known yet.
picture-lines-rmssd-usual-for-you = Usual for you is { $number } to { $number2 } ms; { $count } below.
picture-lines-rmssd-heart-rate-variability-2 = Heart-rate variability
picture-lines-daily-day = Day
picture-lines-daily-value = Value
picture-lines-daily-marked = Marked
picture-lines-description-no-was-measured = No { $what } was measured in these seven days.
picture-lines-description-your-in-seven = { $count ->
        [one] Your { $what }, { $count } measurement in seven days. { $more }
       *[other] Your { $what }, { $count } measurements in seven days. { $more }
    }
picture-lines-finished-day = Day
picture-lines-finished-lowest = Lowest
picture-lines-finished-highest = Highest
picture-lines-finished-last = Last
picture-lines-finished-measured = Measured
picture-lines-count-measurements-were = { $count ->
        [0] none was
        [one] one was
       *[other] { $count } were
    }
