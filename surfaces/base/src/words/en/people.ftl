people-people = People and chats
people-people-says = Who writes to you, and where. Names come from your own mail, chats and contacts each time you look. I store none, except those that you typed.
people-people-whom = Show
people-people-both = people and chats
people-people-only = people
people-chats-only = chats
people-people-order = First
people-loudest = the loudest
people-most-recent = the most recent
people-nobody-yet = Nobody yet: I have read no messages.
people-nobody-found = I remember nobody of that name.
people-is-muted = Muted.
people-person-gone = I keep nothing about them
people-person-gone-says = You had me forget this, it became too old to keep, or nobody wrote to you from there.
people-sender-unknown = I cannot say who sent it
people-sender-unknown-says = The message is older than a day, you had it forgotten, or I am still busy with your messages. Look again in a moment.
people-person-not-read = I am still busy with your messages, so the counts of today are missing. I look again in a moment.
people-person-do = What you can do
people-name-one-name-them = Name them
people-name-one-name-it = Name it
people-take-name-away = Take your name away
people-class-says = What their messages are to you. I learn from it.
people-mute = Mute for
people-name-one-1-hour = 1 hour
people-name-one-8-hours = 8 hours
people-name-one-24-hours = 24 hours
people-rules-about = Your rules about it
people-writes-in = Writes in
people-who-writes = Who writes here
people-known = What I know
people-known-nothing = I keep nothing that names them.
people-known-things = What I noted
people-known-links = Who wrote where
people-known-traces = Decisions
people-known-other = Something else that names it.
people-forget-them-says = I show first what would go. Then you have ten seconds to change your mind.
people-count-messages = { $count ->
        [one] { $count } message
       *[other] { $count } messages
    }
people-messages-in-all = { $count ->
        [one] { $count } message counted
       *[other] { $count } messages counted
    }
people-waits-for-you = waits for your answer
people-chat-name-only-mail = Mail
people-chat-name-mail = Mail ({ $folder })
people-more-people = { $more } more. Type a name to find them.
people-people-unnamed-one-more-has = One more has no name that I can ask for now.
people-people-unnamed-more-have-no = { $count } more have no name that I can ask for now.
people-about-link = About { $name }
people-named-by-you-call-them = You call them so.
people-named-by-you-call-it = You call it so.
people-named-by-so-your-contacts = So your contacts say.
people-named-by-so-they-call = Their own messages carry this name.
people-named-by-so-it-is = That is its name in the chat program.
people-named-by-a-folder-of = A folder of your mail.
people-named-by-called-by-the = Called by the program it came through: its own name I do not keep.
people-named-by-nobody-gives-me = I keep no names, and heard none since I started. You can give one.
people-one-of-addresses = { $count } addresses and numbers count as this one, by your contacts or because you said so.
people-by-ways-by-mail = by mail
people-a-chat = A chat.
people-chat-on = A chat on { $name }.
people-by-ways-on = on { $name }
people-by-ways-and = { $value } and { $said }
people-last-day = In the last 24 hours
people-kept-messages = In all that I keep
people-waiting-now = Waiting for your answer
people-you-answer = You answered
people-not-said-yet = …
people-said-times = { $count ->
        [one] { $says }.
       *[other] { $says }, { $count } times.
    }
people-since-day = since { $day }
people-waiting-count-none = none
people-waiting-count-the-oldest = { $count }, the oldest { $since }
people-answered-of-within-as-a = , within { $within } as a rule
people-answered-of-of = { $received ->
        [one] { $answered } of the { $received } message that I have counted{ $fast }
       *[other] { $answered } of the { $received } messages that I have counted{ $fast }
    }
people-muted-until = Muted until { $at }.
people-mute-for = Mute { $name } for { $long }
people-rule-effect = I will not say anything about { $name } any more.
people-count-counts-of = { $count ->
        [one] { $count } count of who wrote
       *[other] { $count } counts of who wrote
    }
people-count-decisions = { $count ->
        [one] { $count } decision
       *[other] { $count } decisions
    }
people-chat-day-one-wanted-something = { $day }: { $all }, one wanted something of you.
people-chat-day-wanted-something-of = { $day }: { $all }, { $more } wanted something of you.
people-writer-note = Writes to you; seen last { $seen }.
people-count-written-in = { " " }in { $chat }
people-count-written-on = { $who }{ $all }{ $chat } on { $day }.
people-count-through-came-through-one = { $all } came through one program on { $day }.
people-act-on-day = Something above was about { $day }.
people-weighed-beside = { $at }: weighed beside something else.
people-you-call-it = You call it { $name }.
people-stands = What stands until you take it back
people-known-more = And { $more } older. A copy of everything has them all.
people-count-notes = { $count ->
        [one] { $count } note
       *[other] { $count } notes
    }
people-known-total-name-of-person = your name for them
people-known-total-name-of-chat = your name for it
people-known-total-of-person = { $total ->
        [one] { $total } entry names them: { $parts }. If you take a copy of everything, it is in it.
       *[other] { $total } entries name them: { $parts }. If you take a copy of everything, they are in it.
    }
people-known-total-of-chat = { $total ->
        [one] { $total } entry names it: { $parts }. If you take a copy of everything, it is in it.
       *[other] { $total } entries name it: { $parts }. If you take a copy of everything, they are in it.
    }
people-you-call-person = You call this person { $name }.
people-you-call-chat = You call this chat { $name }.
people-you-call-shop = You call this shop { $name }.
people-you-call-payment = You call this payment { $name }.
people-you-call-event = You call this event { $name }.
people-you-call-message = You call this message { $name }.
