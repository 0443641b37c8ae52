account-forms-title = Add an account on a server
account-forms-says = I read it where it is, and change nothing there unless you allow that later. I connect to no server before you have seen its name and pressed a button.
account-forms-what = What I may read there
account-forms-what-calendars = Calendars and tasks
account-forms-what-mail = Mail
account-forms-what-mail-jmap = Mail, where the provider speaks JMAP
account-forms-link = A calendar, by its link
account-forms-link-means = For Google, Outlook and others that give a calendar a secret link, which mostly ends in .ics. Whoever has the link can read the calendar, so I seal it like a password.
account-forms-address = Your mail address, or the address of the server
account-forms-link-address = The link
account-forms-user = User name
account-forms-user-means = Mostly your mail address.
account-forms-password = App password
account-forms-password-means = An app password is a second password, for one program alone. You make it where you manage your account, and can take it back there without changing your own. A provider that knows none takes your usual password.
account-forms-where = Where to make one
account-forms-where-apple = Apple: account.apple.com, “Sign-In and Security”, “App-Specific Passwords”.
account-forms-where-fastmail = Fastmail: “Settings”, “Privacy & Security”, “App passwords”.
account-forms-where-gmx = GMX and WEB.DE: “My Account”, “Security”, “App-specific passwords”.
account-forms-where-google = Google (mail): myaccount.google.com/apppasswords, once signing in takes two steps.
account-forms-where-yahoo = Yahoo: “Account security”, “App passwords”.
account-forms-where-nextcloud = Nextcloud: “Settings”, “Security”, “Create new app password”.
account-forms-more = A server of your own
account-forms-private = It is on this computer or in my own network
account-forms-certificate = Fingerprint of its certificate (SHA-256)
account-forms-certificate-means = Needed only where this computer does not trust whoever made the certificate.
account-forms-look = Look
account-forms-suggestion = The calendars of { $address } are probably at { $host }. I have not connected to anything yet.
account-forms-suggestion-mail = The mail of { $address } is probably at { $host }. I have not connected to anything yet.
account-forms-suggestion-mail-means = If your provider names another server for IMAP, write its address in place of the mail address.
account-forms-suggestion-jmap-means = Instead of a password, your provider may give you an API token for JMAP: put it in as the password and leave the user name empty. If it names another server for JMAP, write its address in place of the mail address.
account-forms-suggestion-means = If your provider names another server for CalDAV, write its address in place of the mail address.
account-forms-google = Google gives its calendars to no program by a password, but by a secret link: in Google Calendar, “Settings”, your calendar, “Secret address in iCal format”. Put it in below, under “A calendar, by its link”.
account-forms-microsoft = Microsoft gives its calendars to no program by a password, but by a link: in Outlook on the web, “Settings”, “Calendar”, “Shared calendars”, “Publish a calendar”, ICS. Put it in below, under “A calendar, by its link”.
account-forms-ask = Ask { $host }
account-forms-own-network = It is in my own network
account-forms-folders = { $count ->
        [one] One folder
       *[other] { $count } folders
    }
account-forms-messages = { $count ->
        [one] one message of the last two days
       *[other] { $count } messages of the last two days
    }
account-forms-calendars = { $count ->
        [one] One calendar
       *[other] { $count } calendars
    }
account-forms-events = { $count ->
        [one] one event
       *[other] { $count } events
    }
account-forms-tasks = { $count ->
        [one] one task
       *[other] { $count } tasks
    }
account-forms-name = Name of the account
account-forms-name-means = Small letters, digits, - and _.
account-forms-allow = What you allow
account-forms-allow-read = I read these calendars on { $host } every minute. I change nothing there unless you allow that later.
account-forms-allow-kept = They are kept sealed on this computer, so that I know your day without the network too, until you have me stop reading them.
account-forms-allow-read-mail = I read your mail on { $host } as it comes. I mark nothing as read, fetch no attachments and send nothing.
account-forms-allow-login = Your password is sealed as well. I show it to { $host } and to nobody else.
account-forms-allow-link = The link is sealed as well. I show it to { $host } and to nobody else.
account-forms-read = Read this
account-forms-mistake-address = That is neither a mail address nor the address of a server, such as https://dav.example.org.
account-forms-mistake-not-sealed = Without https everybody on the way could read it. Write https://, or say that the server is in your own network.
account-forms-mistake-certificate = That is no fingerprint: it has 64 digits from 0 to 9 and a to f.
account-forms-mistake-name = Choose a name of small letters, digits, - and _ that no other account has.
account-forms-busy = I am trying another account just now. Wait a moment and look again.
account-forms-test = Look now
account-forms-test-of = Look now at { $name }
account-forms-works = { $name } answers. { $holds }
account-forms-fails = { $problem } { $remedy }
account-forms-login = New password
account-forms-login-of = New password for { $name }
account-forms-new-link = New link
account-forms-new-link-of = New link for { $name }
account-forms-keep = Keep
account-forms-stop = { $entries } and the login are forgotten on this computer. On the server nothing changes.
account-forms-caldav = Calendars, mail or names, with your mail address and a password
account-forms-caldav-means = Calendars and names of iCloud, Fastmail, GMX, mailbox.org, Nextcloud and others that speak CalDAV and CardDAV; mail of all that speak IMAP, which most do. Add one after the other.
account-forms-what-names = Names of people, with their addresses and numbers
account-forms-token = Bank accounts, by SimpleFIN
account-forms-token-means = SimpleFIN is a service that reads your bank accounts for you and hands their payments on to programs that you choose. There you make a setup token, which works once.
account-forms-token-field = Setup token
account-forms-suggestion-names = The names of { $address } are probably at { $host }. I have not connected to anything yet.
account-forms-suggestion-names-means = If your provider names another server for CardDAV, write its address in place of the mail address.
account-forms-no-password = This provider gives that to no program by a password. See below whether you can sign in at it instead.
account-forms-leads-to = This token is from { $host }. I have not connected to anything yet.
account-forms-found = { $places }, { $things }. Nothing is kept yet.
account-forms-found-with-tasks = { $places }, { $things }, { $tasks }. Nothing is kept yet.
account-forms-books = { $count ->
        [one] One address book
       *[other] { $count } address books
    }
account-forms-people = { $count ->
        [one] one person
       *[other] { $count } people
    }
account-forms-banks = { $count ->
        [one] One bank account
       *[other] { $count } bank accounts
    }
account-forms-payments = { $count ->
        [one] one payment of the last 60 days
       *[other] { $count } payments of the last 60 days
    }
account-forms-allow-kept-not = What I read lies in this computer's memory alone, in no file on a disk, and is read anew after each start.
account-forms-allow-read-names = I read names, addresses and numbers on { $host } every hour, nothing else of a person, and change nothing there.
account-forms-allow-read-money = I ask { $host } for balances and payments four times a day. I can move no money.
account-forms-allow-token = What the token was turned into is sealed. I show it to { $host } and to nobody else.
account-forms-mistake-token = That is no setup token.
account-forms-new-token = New setup token
account-forms-new-token-of = New setup token for { $name }
account-forms-not-kept = I did not keep it: it is not for the same server, or no longer works.
account-forms-allow-read-link = I read this calendar on { $host } every 15 minutes, and change nothing there.
account-forms-allow-kept-link = It is kept sealed on this computer, so that I know your day without the network too, until you have me stop reading it.
account-forms-stop-login = The login is forgotten on this computer. On the server nothing changes.
account-forms-ask-who-runs-it = Ask whoever runs the server.
account-forms-see-server = See that the server runs and that its address is right.
account-forms-look-later = Look again later.
