kept-no-payment-known = Nothing is known of what was spent in these seven days.
kept-no-payment-this-week = No payment in these seven days.
kept-nothing-spent = nothing
kept-payments-kept-the-newest-of = { $count }, the newest of { $newest }.
kept-count-payments = { $count ->
        [one] { $count } payment
       *[other] { $count } payments
    }
kept-spent-in-week-you-spent-in = You spent { $total } in seven days, in { $payments }. The most on one day was { $most }.
kept-payments-in-other-currencies-not-in-these = Not in these sums: { $left_out } in other currencies.
kept-count-payments-that = { $count ->
        [one] { $count } payment that does
       *[other] { $count } payments that do
    }
kept-payments-without-direction-not-in-these = Not in these sums: { $left_out } not say whether money went out or came in.
kept-body-days-kept-the-newest-of = { $count }, the newest of { $newest }.
kept-median-of = the median of { $day }
kept-night-before = the night before { $day }
kept-body-days = Sleep and heart
kept-body-days-which = How many days
kept-heart-rate-variability = Heart-rate variability
kept-resting-heart-rate = Resting heart rate
kept-beats-a-minute = beats a minute
kept-beats = { $number } a minute
kept-sleep = Sleep
kept-not-measured-then = Nothing was measured on these days.
kept-count-days = { $count ->
        [one] { $count } day
       *[other] { $count } days
    }
kept-measured-on-days = One value a day, known of { $measured } of { $days }.
kept-only-value = It was { $value }.
kept-middle-of-days = In the middle { $middle }; least { $least }, most { $most }.
kept-usual-for-you = Usual for you is { $low } to { $high }.
kept-baseline-says = Usual is the middle of your last 90 days, give or take what two days in three stay within. I need 14 days for it.
kept-not-believable = Left out as not believable
kept-not-believable-says = Nobody sleeps more than 20 hours in one night, for example. The days above are without these.
kept-what-drove-load = What drives the load score now
kept-load-score = Load
kept-out-of-range-and = { $first } and { $second }
kept-out-of-range-not-as-usual = Not as usual on { $day }: { $named }.
kept-low-variability = low heart-rate variability
kept-high-variability = high heart-rate variability
kept-low-resting-rate = low resting heart rate
kept-high-resting-rate = high resting heart rate
kept-short-sleep = short sleep
kept-long-sleep = long sleep
kept-low-load = low load
kept-high-load = high load
kept-mark-a-day = A day that was not as usual
kept-mark-a-day-says = A day that you mark does not count in what is usual for you.
kept-mark-day = Day
kept-mark-why = It was
kept-mark-the-day = Mark this day
kept-as-usual = a day as usual
kept-day-tag-on-the-road = on the road
kept-day-tag-not-as-usual = not as usual
kept-day-marked-counts-as-usual = { $day } counts as usual.
kept-day-marked-is-marked = { $day } is marked: { $day_tag }.
kept-count-payments-are = { $count ->
        [one] { $count } payment is kept
       *[other] { $count } payments are kept
    }
kept-count-days-are = { $count ->
        [one] { $count } day is kept
       *[other] { $count } days are kept
    }
kept-day-tag-ill = ill
kept-in-groups = { $count }
