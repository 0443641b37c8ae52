figures-of-100 = of 100
figures-ms = ms
figures-hours = hours
figures-span-of-day = { $least } to { $most }
figures-reading-messages = Messages
figures-reading-want-an-answer = Waiting for your answer
figures-reading-in-the-busiest = In the busiest chat
figures-reading-important-unread-mail = Important unread mail
figures-reading-events-left-today = Events left today
figures-reading-overlapping-events = Overlapping events
figures-reading-way-to-the = Way to the next event
figures-reading-kept-free-before = Buffer before leaving
figures-reading-until-you-have = Until you have to leave
figures-reading-spent-today = Spent today, on everything
figures-reading-against-a-usual = All of it, against an average day
figures-reading-how-far-out = How far from usual (robust z)
figures-reading-payments-not-sorted = Payments without a category
figures-reading-balance-at-the = Balance at the month's end
figures-reading-until-the-balance = Your money lasts
figures-reading-load-score-of = Load score, of 100
figures-reading-heart-rate-variability = Heart-rate variability (RMSSD)
figures-reading-variability-against-your = Variability against your median (z)
figures-reading-slept-last-night = Slept last night
figures-reading-sleep-missing = Short of the sleep you want
figures-reading-typing-entropy = Typing entropy
figures-reading-program-switches = Program switches
figures-reading-share-of-notifications = Share of notifications dismissed
figures-reading-screen-in-the = Screen in the last hour
figures-reading-load-below-its = Load below its recent peak by
figures-reading-line-messages = { $counted ->
        [one] { $counted } message
       *[other] { $counted } messages
    }
figures-reading-line-want-an-answer = { $counted ->
        [one] { $counted } waits for your answer
       *[other] { $counted } wait for your answer
    }
figures-reading-line-messages-in-the = { $counted ->
        [one] { $counted } message in the busiest chat
       *[other] { $counted } messages in the busiest chat
    }
figures-reading-line-load-of-100 = Load { $value } of 100
figures-reading-line-load-fell-by = Load fell by { $value }
figures-reading-line-slept = Slept { $value }
figures-reading-line-of-sleep-missing = { $value } short of the sleep you want
figures-reading-line-events-left-today = { $counted ->
        [one] { $counted } event left today
       *[other] { $counted } events left today
    }
figures-reading-line-to-get-there = { $value } to get there
figures-reading-line-spent-today = { $value } spent today
figures-category-eating-out-and = eating out and delivery
figures-category-groceries = groceries
figures-category-getting-around = getting around
figures-category-shopping = shopping
figures-category-entertainment = entertainment
figures-category-bills = bills
figures-category-rent = rent
figures-category-education = education
figures-category-health = health
figures-category-travel = travel
figures-category-transfers-to-people = transfers to people
figures-category-subscriptions = subscriptions
figures-category-investments = investments
figures-category-other-things = other things
figures-severity-slightly-unusual = slightly unusual
figures-severity-clearly-unusual = clearly unusual
figures-severity-far-from-usual = far from usual
figures-messages-there = { $counted ->
        [one] { $counted } message there lately
       *[other] { $counted } messages there lately
    }
