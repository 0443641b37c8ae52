sections-nothing-measured = Nothing is measured yet.
sections-nothing-spent-known = I know of no payment today.
sections-not-read = not read
sections-one-chat = One chat
sections-why-this = Why this, why now
sections-now = Now
sections-brief = Brief
sections-chats = Chats
sections-money = Money
sections-body = Body
sections-memory = Memory
sections-settings = Settings
sections-sections = Sections
sections-look-now = Look now
sections-needs-script = This page needs its own script to answer and to stay current.
sections-skip = Skip to the content
sections-on-this-page = On this page
sections-as-table = The same as a table
sections-todays-brief = Today's brief
sections-no-brief-yet = Your next brief, as far as I know
sections-brief-shown = As it was put together at { $at }.
sections-nothing-waits = Nobody who wrote in the last { $days } days waits for your answer.
sections-waiting-not-read = I have no messages yet, or I am still reading them. Look again in a moment.
sections-all-that-waits = All that wait for your answer
sections-tomorrow = Tomorrow
sections-somebody-wrote = Somebody
sections-somebody-in = Somebody in { $chat }
sections-tomorrow-2 = Tomorrow: { $who }
sections-since = since { $at }
sections-written-in-asks-you-something = Asks you something.
sections-written-in-asks-the-group = Asks the group.
sections-written-in-a-date-to = A date to agree on.
sections-written-in-a-bill-or = A bill or a deadline.
sections-written-in-a-code = A code.
sections-written-in-wants-an-answer = Waits for an answer.
sections-written-in-by-mail = { $what } By mail.
sections-written-in-in = { $what } In { $chat }.
sections-more-wait = Show all: { $more } more wait
sections-one-more-waits-and-one-more = One more message waits, by mail
sections-one-more-waits-and-one-more-2 = One more message waits, in { $chat }
sections-one-more-waits-and-one-more-3 = One more message waits
sections-more-also-wait = { $more } more messages wait
sections-wait-now-one-waits-now = One message waits for your answer:
sections-wait-now-wait-now = { $count } messages wait for your answer:
sections-muted-now = Muted now
sections-unmute = Unmute
sections-unmute-2 = Unmute { $chat }
sections-mute-a-chat = Mute a chat
sections-mute-another = Mute one of the other chats
sections-no-mute = No chat is muted.
sections-loud-today = Loud today
sections-loud-messages = { $count ->
        [one] { $count } message in 10 minutes
       *[other] { $count } messages in 10 minutes
    }
sections-no-burst = No chat has been loud today. I call a chat loud after 30 messages in 10 minutes.
sections-last-digest = The last digest today
sections-no-digest = When a mute ends, I sum up here what you missed. None has ended today.
sections-until = until { $at }
sections-spent-lately = The last seven days
sections-spent-in-seven-days = Spent in seven days
sections-months-end = The month's end
sections-unusual-lately = Unusual in the last seven days
sections-nothing-unusual = No day's spending stood out. I judge sums, not how many payments there were.
sections-nothing-unusual-so-far = On the days that I can judge no spending stood out. I judge sums, not how many payments there were.
sections-unusual-too-early = I can call a day unusual once I know the seven days before it. So far I know { $days ->
        [0] none
        [one] one
       *[other] { $days }
    }.
sections-unusual-too-early-in = { $currency }: too few days to tell yet, { $days } of 7.
sections-unusual-few-days = I know the { $days ->
        [one] day
       *[other] { $days } days
    } before today.
sections-unusual-rare-one = { $category } { $days } of 5 days
sections-unusual-rare = Too few days of spending to tell yet: { $named }{ $more }.
sections-sorted-when-looking = I sort them when I look, up to 64 at a time.
sections-paid-to = to { $name }
sections-largest-payment = your largest payment in { $days ->
        [one] one day
       *[other] { $days } days
    }, { $times } times the next; { $day }
sections-largest-payment-beside-bills = your largest payment beside bills in { $days ->
        [one] one day
       *[other] { $days } days
    }, { $times } times the next; { $day }
sections-unusual = { $severity }; a usual day: { $usual }; { $day }
sections-measured-usually-at = usually { $usual }; at { $at }
sections-measured-at = at { $at }
sections-load-now = Load
sections-load-range = 0 to 100. From 70 on I treat you as stressed, until it falls below 65.
sections-what-drives-it = What drives it
sections-load-base = The score when nothing is unusual
sections-load-rest = Everything else
sections-load-rest-says = Smaller measurements, the hour in the evening and at night, and rounding. The score never leaves 0 to 100.
sections-drivers-not-said = Nothing recent is measured, or I am still working it out.
sections-no-driver = Nothing stands out.
sections-measured = Measured today
sections-measured-last = Measured last
sections-slept = Slept
sections-not-raised = Your load is not raised, but some of its signs are out of their range.
sections-state-now = { $wellness }.
sections-was-stressed = You looked stressed at the last measurement ({ $then } of 100). By now it is { $now }.
sections-was-as-usual = You looked as usual at the last measurement ({ $then } of 100). By now it is { $now }.
sections-recovering-until = I stay quiet until { $at }.
sections-one-point = 1 point
sections-points = { $points } points
sections-feature-heart-rate-variability = Heart-rate variability
sections-feature-sleep = Sleep
sections-feature-typing = Typing
sections-feature-program-switches = Program switches
sections-feature-dismissed-notifications = Dismissed notifications
sections-feature-screen = Screen
sections-in-force = How I behave
sections-settings-says = This is what counts now.
sections-zone = Time zone
sections-ceiling = Interruptions a day, at most
sections-brief-time = Morning brief
sections-quiet-hours = Quiet hours
sections-no-hours = none
sections-around = Connections
sections-model = Language model
sections-connected = Where I can speak now
sections-only-this-page = nowhere: the page Now is open on no device
sections-open-page = on the page Now, which is open
sections-origin-file = from your file
sections-origin-default = the default
sections-origin-unknown = where it is from is not known
sections-other-pages = Other pages
sections-rules = When not to speak
sections-span = { $from } to { $to }
sections-model-none-sentences-are = none; my sentences are fixed ones
sections-model-ready = ready
sections-model-being-loaded = being loaded
sections-model-cannot-be-used = none that I can use; my sentences are fixed ones
sections-rule-tried-nothing-was-shown = Nothing was shown since { $since }, so nothing would have changed.
sections-rule-tried-since-this-would = Since { $since } this would have changed nothing.
sections-rule-tried-since-this-would-2 = Since { $since } this would have kept back 1 card of { $shown }.
sections-rule-tried-since-this-would-3 = Since { $since } this would have kept back { $n } cards of { $shown }.
sections-rule-tried-people-and-chats = People and chats
sections-rule-tried-devices-that-may = Paired devices
sections-rule-tried-the-watchs-face = The watch's face
sections-rule-tried-workflows-and-their = Workflows and their questions
sections-rule-tried-the-operators-console = The operator's console
sections-rule-tried-devices = Devices
sections-rule-tried-workflows = Workflows
sections-rule-tried-console = Console
