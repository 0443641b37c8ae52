welcome-welcome-title-page = Aura: welcome
welcome-welcome-continue = Continue
welcome-welcome-skip = Skip
welcome-welcome-leave = Leave the welcome
welcome-welcome-finish = Go to Aura
welcome-welcome-again = The welcome, once more
welcome-welcome-step = Step { $step } of { $of }
welcome-welcome-what = What Aura is
welcome-welcome-what-says-aura-reads-what = Aura reads what you allow on this computer: mail, calendars, payments, sleep.
welcome-welcome-what-says-most-of-the = Most of the time it says nothing. At most three times a day it shows one card that is worth the interruption.
welcome-welcome-what-says-nothing-leaves-this = Nothing leaves this computer unless you name a server yourself. There is no account, and what Aura keeps is encrypted.
welcome-welcome-what-says-you-can-always = You can always see why it spoke or kept quiet, take back what you allowed, and have everything forgotten.
welcome-welcome-key = Your key
welcome-welcome-key-says = Everything that Aura keeps is sealed with one key. It was made on this computer, for you alone.
welcome-welcome-key-lost = If the key is lost, and there is no recovery sheet, nobody can open what Aura kept: not you, and nobody else. Your own files stay as they are.
welcome-welcome-key-place-it-lies-in = It lies in this computer's keyring, which opens when you log in.
welcome-welcome-key-place-it-is-made = It is made from your passphrase, which is asked for at each start.
welcome-welcome-key-place-it-lies-in-2 = It lies in the file { $path }. Keep a copy of that file in another place: whoever has it and this computer's disk can read what Aura keeps.
welcome-welcome-key-place-it-is-in = It is in Aura's own memory alone, and goes with it.
welcome-welcome-sources = What I may read
welcome-welcome-sources-says = Tick what I may read. What each holds is counted by a program that can open this one file or folder and nothing else, and keeps nothing. You can stop any of it later.
welcome-welcome-you = About you
welcome-welcome-you-says = All of it can be changed later, and any of it left as it is.
welcome-welcome-shown = Where cards appear
welcome-welcome-page = This page
welcome-welcome-page-says = Keep it open, or add it to your home screen from the browser's menu. A card appears by itself.
welcome-welcome-watch = Your watch
welcome-welcome-watch-says = A page made for a round screen.
welcome-welcome-ntfy = Notifications on your phone
welcome-welcome-ntfy-on = Set up, through your own server.
welcome-welcome-ntfy-off = Not set up. They need a notification server of your own.
welcome-welcome-speech = Said aloud
welcome-welcome-speech-on = On: a card is announced once, without what it says.
welcome-welcome-speech-off = Off.
welcome-welcome-first = Your first card
welcome-welcome-nothing-read = I may read nothing yet, so I have nothing to say. Allow your calendar, your mail or a statement, and I can make your first card.
welcome-welcome-to-sources = Allow something
welcome-welcome-look = Look now
welcome-welcome-look-says = If something is worth a card, it appears here within a few seconds. If not, I say why I kept quiet.
welcome-welcome-read = Read so far
welcome-welcome-more = What would make cards better
welcome-card-comes-when-of-the-last = Of the last day there is none. A card comes when somebody waits for your answer.
welcome-card-comes-when-a-card-comes = A card comes when somebody waits for your answer, or a chat gets loud.
welcome-card-comes-when-there-is-no = There is no event that I can read. A card comes when two of them clash, or it is time to leave.
welcome-card-comes-when-a-card-comes-2 = A card comes when two of them clash, or it is time to leave.
welcome-card-comes-when-there-is-no-2 = There is no payment that I can read. A card comes when one is unusual.
welcome-card-comes-when-a-card-comes-3 = A card comes when one is unusual, or when the month would end short.
welcome-card-comes-when-a-card-comes-4 = A card comes when one is unusual. By your balance, as you or a statement tell it, one comes too when the month would end short.
welcome-card-comes-when-there-is-none = There is none that I can read. A card comes when you are under strain.
welcome-card-comes-when-a-card-comes-5 = A card comes when you are under strain, or have slept too little.
welcome-read-so-far-no-message-yet = No message yet
welcome-read-so-far-no-event-yet = No event yet
welcome-read-so-far-no-payment-yet = No payment yet
welcome-read-so-far-no-measurement-yet = No measurement yet
welcome-read-so-far-no-decision-yet = No decision yet
welcome-still-reading = still reading
welcome-reading-bar = Reading { $read_things }
welcome-read-to-the-end = read
welcome-read-others = All the others
welcome-not-begun = not begun yet
welcome-would-add-with-your-calendar = With your calendar I can tell you when to leave, and what clashes.
welcome-would-add-with-your-mail = With your mail I can tell you who waits for an answer.
welcome-would-add-with-a-statement = With a statement of your bank I can show where the month ends.
welcome-would-add-with-your-sleep = With your sleep and heart rate I know when to leave you in peace.
welcome-would-add-with-your-contacts = With your contacts I call people as you do, and know that two addresses are one person.
welcome-messages-of-a-day = { $count ->
        [one] { $count } message of the last 24 hours
       *[other] { $count } messages of the last 24 hours
    }
welcome-count-messages = { $count ->
        [one] { $count } message
       *[other] { $count } messages
    }
welcome-count-events = { $count ->
        [one] { $count } event
       *[other] { $count } events
    }
welcome-count-payments = { $count ->
        [one] { $count } payment
       *[other] { $count } payments
    }
welcome-count-measurements = { $count ->
        [one] { $count } measurement
       *[other] { $count } measurements
    }
welcome-count-decisions = { $count ->
        [one] { $count } decision
       *[other] { $count } decisions
    }
