forgetting-forget = Forget
forgetting-forget-says = I show first what would go. Your own files (mail, calendars, statements) stay as they are, and so do copies and backups that you made.
forgetting-forget-day = A day
forgetting-forget-kind = Everything of one kind
forgetting-forget-look-kind = Show what of it would go
forgetting-forget-look = Show what would go
forgetting-forget-look-all = Show everything that would go
forgetting-forget-it = Forget all of this
forgetting-forget-undo = Undo
forgetting-forget-waits = In ten seconds it is gone for good.
forgetting-forget-waits-left = Gone for good in {"{}"} s
forgetting-forget-waits-whom = To be forgotten: { $whom }.
forgetting-forget-waits-everything = everything I remember
forgetting-forget-goes = I am forgetting it now.
forgetting-forget-called-off = Nothing was forgotten.
forgetting-forget-nothing = I keep nothing of that.
forgetting-forget-would-go-of-this-would = Of { $name } this would go:
forgetting-forget-would-go-with-this-would = With { $name } this would go:
forgetting-forget-would-go-with-all-this = With all { $kept_kind_inside } this would go:
forgetting-forget-would-go-with-this-would-2 = With { $measured_kind_inside } this would go:
forgetting-forget-would-go-of-everything-i = Of everything I remember this would go:
forgetting-all-known = That is everything on the page about { $name }.
forgetting-more-than-known = { $known } of these stand on the page about { $name }. { $more ->
        [one] One more tells of the same, or means nothing without it.
       *[other] The other { $more } tell of the same, or mean nothing without it.
    }
forgetting-forget-gone-is-forgotten-this = { $date } is forgotten. This went:
forgetting-forget-gone-is-forgotten-this-2 = { $says } is forgotten. This went:
forgetting-forget-gone-all-are-forgotten = All { $kept_kind_inside } are forgotten. This went:
forgetting-forget-gone-i-have-forgotten = I have forgotten { $measured_kind_inside }. This went:
forgetting-forget-gone-everything-is-forgotten = Everything is forgotten. This went:
forgetting-kept-kind-people = People
forgetting-kept-kind-chats = Chats
forgetting-kept-kind-shops = Shops
forgetting-kept-kind-payments = Payments
forgetting-kept-kind-calendar = Calendar
forgetting-kept-kind-inside-people = people
forgetting-kept-kind-inside-chats = chats
forgetting-kept-kind-inside-shops = shops
forgetting-kept-kind-inside-payments = payments
forgetting-kept-kind-inside-events-of-the = events of the calendar
forgetting-measured-kind-heart-rate-variability = Heart rate variability
forgetting-measured-kind-resting-heart-rate = Resting heart rate
forgetting-measured-kind-sleep = Sleep
forgetting-measured-kind-use-of-the = Use of the phone (typing, switching, screen)
forgetting-measured-kind-how-stressed-i = How stressed I thought you were
forgetting-measured-kind-inside-all-heart-rate = all heart rate variability
forgetting-measured-kind-inside-all-resting = all of your resting heart rate
forgetting-measured-kind-inside-all-sleep = all sleep
forgetting-measured-kind-inside-all-use-of = all use of the phone
forgetting-measured-kind-inside-all-i-thought = all I thought of your stress
forgetting-thing-without-name-this-person = this person
forgetting-thing-without-name-this-chat = this chat
forgetting-thing-without-name-this-shop = this shop
forgetting-thing-without-name-this-payment = this payment
forgetting-thing-without-name-this-event = this event
forgetting-thing-without-name-this-message = this message
forgetting-forget-failed = It was not forgotten: { $why }.
forgetting-removed-nodes = { $count ->
        [one] { $count } thing I remember
       *[other] { $count } things I remember
    }
forgetting-removed-measurements = { $count ->
        [one] { $count } measurement beside others of its day
       *[other] { $count } measurements beside others of their day
    }
forgetting-removed-edges = { $count ->
        [one] { $count } link between them
       *[other] { $count } links between them
    }
forgetting-removed-labels = { $count ->
        [one] { $count } name you gave
       *[other] { $count } names you gave
    }
forgetting-removed-decisions = { $count ->
        [one] { $count } decision
       *[other] { $count } decisions
    }
forgetting-removed-traces = { $count ->
        [one] { $count } explanation of a decision
       *[other] { $count } explanations of decisions
    }
forgetting-removed-drafts = { $count ->
        [one] { $count } draft
       *[other] { $count } drafts
    }
forgetting-removed-runs = { $count ->
        [one] { $count } run of a workflow
       *[other] { $count } runs of workflows
    }
forgetting-removed-events = { $count ->
        [one] { $count } entry of the journal
       *[other] { $count } entries of the journal
    }
forgetting-removed-notes = { $count ->
        [one] { $count } note of the newest values and of what is usual for you
       *[other] { $count } notes of the newest values and of what is usual for you
    }
forgetting-removed-ledger-rows = { $count ->
        [one] { $count } entry in the count of interruptions
       *[other] { $count } entries in the count of interruptions
    }
forgetting-removed-quarantine-lines = { $count ->
        [one] { $count } refused message
       *[other] { $count } refused messages
    }
forgetting-removed-damaged-stores = { $count ->
        [one] { $count } damaged copy
       *[other] { $count } damaged copies
    }
forgetting-forget-also = And this, which is no entry:
forgetting-forget-also-gone = Their messages and what I learned from them went too.
forgetting-also-messages = { $count ->
        [one] { $count } message of the last day
       *[other] { $count } messages of the last day
    }
forgetting-also-waiting = { $waiting ->
        [one] { $waiting } message that waits for your answer
       *[other] { $waiting } messages that wait for your answer
    }
forgetting-also-learned = { $count ->
        [one] what I learned from { $count } message of theirs
       *[other] what I learned from { $count } messages of theirs
    }
forgetting-also-let-through = that they are always let through
forgetting-also-rules = { $count ->
        [one] { $count } rule or mute of yours
       *[other] { $count } rules or mutes of yours
    }
forgetting-also-mute = your mute of it
forgetting-also-same = { $count ->
        [one] your word that { $count } other address is theirs
       *[other] your word that { $count } other addresses are theirs
    }
