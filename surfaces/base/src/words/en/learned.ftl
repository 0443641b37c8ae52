learned-learned = What I learned from you
learned-nothing-learned = Nothing yet. Answer a mail, or tap Useful or Dismiss on a card about messages, and I'll learn from that.
learned-too-little = { $count ->
        [one] You did one thing that I learn from. That is too little to treat anybody differently.
       *[other] You did { $count } things that I learn from. That is too little to treat anybody differently.
    }
learned-learned-not-read = I am still busy with your messages. Look again in a moment.
learned-somebody = Somebody you get mail from
learned-one-list = A list or chat
learned-somebody-asked = Somebody you wrote to
learned-reset = Reset
learned-reset-all = Reset all
learned-only-news = Only news
learned-matters = Matters to me
learned-learned-from-you-taught-me = You taught me nothing by hand: this is from what you answered.
learned-learned-from-this-rests-on = I learn from how you answer, and from one thing you did so far.
learned-learned-from-this-rests-on-2 = I learn from how you answer, and from { $more } things you did so far.
learned-learned-this-sender = this sender
learned-learned-this-list = this list
learned-learned-i-treat-as = I treat { $who } as { $class }: you told me so.
learned-learned-you-asked-and = You asked, and there is no answer yet.
learned-learned-i-treat-as-2 = I treat { $who } as { $class }: { $received ->
        [one] { $received } message
       *[other] { $received } messages
    }, and you never answered.
learned-learned-within = , within { $within }
learned-learned-i-treat-as-3 = I treat { $who } as { $class }: you answered { $answered } of { $received ->
        [one] { $received } message
       *[other] { $received } messages
    }{ $fast }.
learned-learned-dismissed-or-muted = dismissed or muted
learned-learned-answered-or-found = answered or found useful
learned-learned-i-treat-as-4 = I treat { $who } as { $class }: you { $did } what came from there.
learned-treated-something-that-needs = something that needs you
learned-treated-a-question-to = a question to a group
learned-treated-a-date-to = a date to agree on
learned-treated-bills = bills
learned-treated-codes = codes
learned-treated-news = news
learned-treated-small-talk = small talk
learned-treated-something-you-wait = something you wait for
learned-treated-spam = spam
learned-within-a-minute = a minute
learned-within-minutes = { $minutes } minutes
learned-within-an-hour = an hour
learned-within-hours = { $value } hours
learned-within-a-day = a day
