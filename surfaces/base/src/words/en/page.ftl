page-watch-title = Aura watch
page-why-title = Why
page-questions = Questions of workflows
page-attention = Attention
page-quiet = Quiet
page-health = Health
page-answer-over = The time to answer is over.
page-s-left = s left
page-seconds-left = seconds left
page-nothing-worth = All quiet
page-missed-something = I had something for you
page-longest-first = Of the last { $days } days, who waits longest first:
page-who-it-is = From:
page-wait-for-you = { $count ->
        [one] One message waits for your answer
       *[other] { $count } messages wait for your answer
    }
page-missed-without-page = No page of mine was open then, so I kept it back.
page-nothing-now = Nothing now
page-dnd-is-on = Do not disturb is on.
page-no-decision = Nothing has come up today.
page-other-views = Other views
page-back = Back
page-to-the-start = Go to the start page
page-no-such-page = This page does not exist
page-page-out-of-scope = This device may not see this page
page-page-failed = This page could not be shown
page-close = Close
page-nothing-read = Nothing is read
page-to-sources = Choose what I may read
page-all-paused = Everything that would stand here is paused.
page-to-paused = Go on reading
page-nothing-read-i-read-no = I read no messages yet. Allow your mail, and who waits for your answer stands here.
page-nothing-read-i-read-no-2 = I read no payments yet. Allow a statement of your bank, and what you spend stands here.
page-nothing-read-i-read-no-3 = I read no measurements yet. Allow what your watch or your health app exports, and your sleep and your load stand here.
page-nothing-read-i-read-no-4 = I read no events yet. Allow your calendar, and what comes next stands here.
page-nothing-read-i-read-nothing = I read nothing yet. Allow your mail, your calendar or a statement of your bank, and what matters in it stands here.
page-next-event = Next, { $when }:
page-later-today = Later today
page-leave-for-it = Leave { $when }.
page-paused-until = Paused until { $at }.
page-interruptions-aura-does-not = I do not interrupt you today
page-interruptions-of-interruptions-left = { $free } of { $ceiling ->
        [one] { $ceiling } interruption
       *[other] { $ceiling } interruptions
    } left today
page-interruptions-from-midnight = { $ceiling } a day from midnight on
page-interruptions-held = One is held for what is shown now.
page-interruptions-legend = { $free } left, { $held } held for what is shown, { $used } used
page-rule-keeps-quiet = A rule of yours keeps me quiet now: { $rule }.
