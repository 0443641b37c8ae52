at-work-at-work = What I do now
at-work-what-is-read-i-am-still = I am still reading your { $listed }.
at-work-what-is-read-i-have-read = I have read everything that I may.
at-work-read-things-messages = messages
at-work-read-things-events = events
at-work-read-things-payments = payments
at-work-read-things-measurements = measurements
at-work-read-things-decisions = decisions
at-work-what-has-left-a-machine-that = a machine that the log does not name
at-work-what-has-left-to = { $count ->
        [one] { $count } notification to { $host }
       *[other] { $count } notifications to { $host }
    }
at-work-what-has-left-nothing-has-left = Nothing has left this computer today.
at-work-what-has-left-nothing-has-left-2 = Nothing has left this computer today, but I ask { $host } for your answers.
at-work-what-has-left-left-this-computer = Left this computer today: { $listed }.
at-work-what-has-left-left-this-computer-2 = Left this computer today: { $listed }. I ask { $host } for your answers.
at-work-looks-again = I look again { $at }, and sooner when something comes in.
at-work-listed = { $value } and { $last }
