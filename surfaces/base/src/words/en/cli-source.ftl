cli-source-paused-now = { $name } is not looked at any more
cli-source-resumed = { $name } is looked at again
cli-source-writable = { $name } is written to as well: what you confirm, and nothing else
cli-source-read-only = { $name } is only read
cli-source-removed = { $name } is not read any more. Its login and its calendars are forgotten; what I know of its messages and payments stays until it is old, or until you forget it on Memory.
cli-source-added = { $name } is read from now on; if it wants a login: aura source login { $name }
cli-source-keep-free = time that you keep free goes to { $calendar } of { $name }, as far as it is written to; aura source list says whether it is there
cli-source-has-password = { $name } has a password: it was added without --client-id
cli-source-no-address = that is no address such as https://example.org/…
cli-source-login-kept = kept sealed; aura source test { $name } tries it
cli-source-nothing-typed = nothing was typed
cli-source-type-client-secret = Client secret:{ " " }
cli-source-type-address = Secret address:{ " " }
cli-source-type-password = Password (an app password, where the server has such):{ " " }
cli-source-entries = { $count ->
        [one] { $count } entry
       *[other] { $count } entries
    }
cli-source-people = { $count ->
        [one] { $count } person
       *[other] { $count } people
    }
cli-source-messages = { $count ->
        [one] { $count } message
       *[other] { $count } messages
    }
cli-source-payments = { $count ->
        [one] { $count } payment
       *[other] { $count } payments
    }
cli-source-nights = { $count ->
        [one] { $count } night
       *[other] { $count } nights
    }
cli-source-in-calendars = { $count ->
        [one] { $count } calendar
       *[other] { $count } calendars
    }
cli-source-in-address-books = { $count ->
        [one] { $count } address book
       *[other] { $count } address books
    }
cli-source-in-folders = { $count ->
        [one] { $count } folder
       *[other] { $count } folders
    }
cli-source-in-bank-accounts = { $count ->
        [one] { $count } bank account
       *[other] { $count } bank accounts
    }
cli-source-in-sensors = { $count ->
        [one] { $count } sensor
       *[other] { $count } sensors
    }
cli-source-none = No account: aura source add NAME ADDRESS, or NAME --imap HOST
cli-source-state-paused = paused
cli-source-state-read-and-written = read and written
cli-source-state-read = read
cli-source-counted-in = { $entries } in { $collections }; the last time { $new } new or changed, { $gone } gone
cli-source-counted = { $entries }; the last time { $new } new or changed, { $gone } gone
cli-source-to-do = to do: { $todo }
