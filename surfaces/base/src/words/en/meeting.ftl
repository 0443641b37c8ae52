meeting-meeting = An event
meeting-this-event = this event
meeting-it-starts = it starts
meeting-meeting-people = Who will be there
meeting-meeting-with = With
meeting-meeting-alone = Nobody else is invited.
meeting-meeting-nothing-waits = None of their messages waits for you.
meeting-meeting-waits = Waiting for your answer
meeting-meeting-where = Where
meeting-meeting-no-place = The event names no place.
meeting-meeting-names-gone = It was sent to me before I was started anew, so I do not know their names any more.
meeting-event-gone = I know no such event now
meeting-event-gone-says = It was moved away or called off, it is more than a hundred days away, you had it forgotten, or I am still busy with your calendar. Look again in a moment.
meeting-cancelled-title = It was called off
meeting-cancelled-says = Your calendar says so. That is why I do not tell you when to leave for it, and why your brief leaves it out.
meeting-cancelled-day = What is on that day
meeting-meeting-switch = Show me this ten minutes before each meeting
meeting-meeting-switched-on = I show this ten minutes before each meeting
meeting-meeting-at = A meeting at { $at }
meeting-meeting-others-with = With { $count }.
meeting-meeting-more = and { $more } more
meeting-from-to = { $from } to { $to }
meeting-meeting-way-to-get-there = { $travel } to get there. Leave by { $at }.
meeting-meeting-way-to-get-there-2 = { $travel } to get there.
meeting-count-others = { $count ->
        [one] { $count } other
       *[other] { $count } others
    }
