let-through-let-through = Always let through
let-through-let-no-longer = Take back
let-through-let-through-not-read = I am still busy with your messages, so I cannot say whom you always let through. I look again in a moment.
let-through-let-through-line = You always let this through.
let-through-let-through-beside = you always let it through
let-through-let-through-by-rule = You always let it through, so its score does not matter.
let-through-let-through-2 = Always let { $name } through
let-through-let-through-effect-i-tell-you = I tell you of { $message } that wants an answer even when I would keep quiet about it. Still at most { $count ->
        [one] { $count } card
       *[other] { $count } cards
    } a day in all, and never in quiet hours, in a pause, or against a mute or another rule of yours.
let-through-is-let-through = You always let { $name } through.
let-through-let-through-now = From now on I let { $name } through.
let-through-was-let-through = I let { $name } through.
let-through-let-through-no-longer = I no longer always let { $name } through.
let-through-message-from = a message from { $name }
let-through-message-from-this-sender = a message from this sender
let-through-message-in = a message in { $name }
let-through-message-in-this-chat = a message in this chat
