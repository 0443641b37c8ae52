accounts-accounts = Accounts on servers
accounts-accounts-mean = Calendars of these accounts are kept sealed on this computer until you have me stop reading them.
accounts-paused = Paused: I ask this server for nothing. Calendars stay; mail, names, payments and sensors I know again when it goes on.
accounts-kind-caldav = Calendars by CalDAV
accounts-kind-address = Calendar at an address
accounts-reading = I am reading it now.
accounts-reached-not = Not reached yet.
accounts-reached = Last reached { $when }.
accounts-entries = { $count ->
        [one] { $count } entry.
       *[other] { $count } entries.
    }
accounts-people = { $count ->
        [one] { $count } person.
       *[other] { $count } people.
    }
accounts-payments = { $count ->
        [one] { $count } payment.
       *[other] { $count } payments.
    }
accounts-nights = { $count ->
        [one] { $count } night.
       *[other] { $count } nights.
    }
accounts-known = { $count ->
        [one] One entry
       *[other] { $count } entries
    }
accounts-nothing-new = Nothing new the last time.
accounts-new = { $count } new or changed the last time.
accounts-gone = { $count } gone the last time.
accounts-new-and-gone = { $new } new or changed and { $gone } gone the last time.
accounts-pause = Pause reading { $name }
accounts-resume = Go on reading { $name }
accounts-remove = Stop reading { $name }
accounts-problem-elsewhere = The server sends me on to { $host }, which you have not named. I did not go there.
accounts-problem-portal = This network wants you to sign in to it first.
accounts-problem-refused = The server refuses the request ({ $status }).
accounts-problem-unknown-host = Nobody knows a server of that name.
accounts-problem-unreachable = The server cannot be reached.
accounts-problem-not-public = The name leads to this computer or into your own network, and you have not allowed that.
accounts-problem-other-name = The server's certificate is for another name.
accounts-problem-untrusted = The server's certificate comes from nobody whom this computer trusts.
accounts-problem-out-of-date = The server's certificate is out of date.
accounts-problem-not-pinned = The server's certificate is not the one that you accepted.
accounts-problem-no-tls = The server does not speak TLS there.
accounts-problem-login-refused = The server refuses the login.
accounts-problem-login-missing = The server wants a login.
accounts-problem-silent = The server did not answer in time.
accounts-problem-too-large = The server sends more than I take.
accounts-problem-broken = What the server sends breaks off or makes no sense.
accounts-problem-no-calendar = There is no calendar at this address.
accounts-problem-too-often = The server wants to be asked less often.
accounts-problem-worker-ended = Reading it was broken off.
accounts-problem-no-memory = This computer has no memory where what I read could lie.
accounts-remedy-login = Type the password once more. Many servers want an app password, not your usual one.
accounts-remedy-test = I try again by myself.
accounts-remedy-portal = Open any page in your browser and sign in to the network. Then I try again.
accounts-remedy-forbidden = The login is right and may not read this address. See that the address is that of something of yours, or ask whoever runs the server.
accounts-remedy-again = I try again. See that the server runs and that its address is right.
accounts-remedy-ask = I try again. If it goes on, ask whoever runs the server.
accounts-remedy-other-name = Write the name that the certificate is for in the address, or ask whoever runs the server.
accounts-remedy-private = If the server is yours, say that it is in your own network.
accounts-remedy-elsewhere = If you trust that server, name it in place of this one. In a hotel or on a train it may be the page of that network: sign in there in your browser, and I try again.
accounts-remedy-certificate = Ask whoever runs the server. If it is yours, accept its certificate by its fingerprint.
accounts-remedy-pin = Ask whoever runs the server whether it is new, and then accept its new fingerprint.
accounts-remedy-port = See that the port in the address is right.
accounts-remedy-smaller = Choose a smaller calendar, or its address alone.
accounts-remedy-address = See that the address is that of a calendar or an address book, not of a page. Where you have none on that server yet, make one there. In a hotel or on a train, sign in to that network first.
accounts-remedy-less-often = I wait longer.
accounts-remedy-memory = Mount a file system in memory, such as /dev/shm, and start again.
accounts-memory-mean = Names and payments of these accounts lie in this computer's memory alone, and are read anew after each start.
accounts-kind-carddav = Names by CardDAV
accounts-kind-simplefin = Bank accounts by SimpleFIN
accounts-problem-no-address-book = There is no address book at this address.
accounts-problem-no-money = There is no bank account behind it.
accounts-remedy-money = Add a bank account at the service, and I find it.
