card-body-body-it-did-not = It did not work
card-body-question-mute-for-30 = Mute { $label } for 30 minutes?
card-body-question-draft-a-reply = Draft a reply to { $label }?
card-body-question-draft-a-decline = Draft a decline for { $label }?
card-body-question-leave-for = Leave for { $label }
card-body-reading-line = { $line } (usually { $range })
card-body-result-this-chat = This chat
card-body-result-is-quiet-until = { $who } is quiet until { $until }
card-body-result-a-digest-of = A digest of it comes afterwards.
card-body-result-quiet-until = Quiet until { $until }
card-body-result-breathing = Breathing
card-body-result-nap = Nap
card-body-result-break = Break
card-body-result-sorted = { $count ->
        [one] { $count } new payment sorted
       *[other] { $count } new payments sorted
    }
card-body-result-the-draft-is = The draft is in your outbox
card-body-result-nothing-was-sent = { $count ->
        [one] { $count } character, { $tone }. Nothing was sent.
       *[other] { $count } characters, { $tone }. Nothing was sent.
    }
card-body-result-a-draft-is = A draft is in your outbox
card-body-result-the-decline-is = The decline is in your outbox
card-body-result-nothing-was-sent-2 = Nothing was sent.
card-body-result-a-decline-is = A decline is in your outbox
card-body-companion-leave-by-for = Leave by this for { $label }
card-body-companion-leave-by = Leave by this
card-body-started-until = { $what } until { $clock }
card-body-started-aura-tells-you = I tell you when it is over.
card-body-digest-body-nothing-wants-an = None needs your answer
card-body-digest-body-want-an-answer = { $n ->
        [one] { $n } needs your answer
       *[other] { $n } need your answer
    }
card-body-digest-body-can-wait = { $wants }, { $muted_count } can wait
card-body-digest-body-read = { $count ->
        [one] { $count } message read.
       *[other] { $count } messages read.
    }
card-body-leave-body-your-next-event = your next event
card-body-leave-body-leave-for = Leave for { $what }
card-body-leave-body-it-starts-at = It starts at { $clock }.
card-body-leave-body-leave-by = Leave by { $leave_by }
card-body-leave-body-leave-by-2 = Leave by this
card-body-way-kept-free = , with { $minutes } in hand
card-body-way-to-get-there = { $minutes } to get there{ $kept }.
card-body-brief-lines-none-wants-an = Nobody waits for your answer.
card-body-brief-lines-want-an-answer = { $n ->
        [one] One message waits for your answer.
       *[other] { $n } messages wait for your answer.
    }
card-body-brief-lines-pairs-overlap = { $n ->
        [one] Two of them clash.
       *[other] { $n } pairs of them clash.
    }
card-body-brief-lines-nothing-in-the = Nothing in the calendar today.
card-body-brief-lines-at = Next: { $value } at { $clock }.
card-body-brief-lines-not-read = { $agent }: not read when I decided this.
card-body-anomaly-body-a-usual-day = On a usual day it is { $money }.
card-body-anomaly-body-that-is-z = That is { $severity }.
card-body-anomaly-body-about-could-be = You could save about { $money }.
card-body-anomaly-body-more-than-usual = More than usual on { $category }
card-body-anomaly-body-spent-today = spent today
card-body-forecast-body-at-this-pace = At this pace it reaches zero on { $date }.
card-body-forecast-body-the-months-end = I cannot say yet how the month ends.
card-body-forecast-body-confidence = I am { $confidence } % sure.
card-body-forecast-body-expected-at-the = expected at the month's end
card-body-brief-lines-the-next = The next event begins at { $clock }.
card-body-companion-figure = { $value } { $caption }.
