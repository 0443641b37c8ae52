mail-accounts-mean = Mail stays on its server: what I read of it lies in this computer's memory alone, and is gone when I stop.
mail-accounts-kind = Mail by IMAP
mail-accounts-kind-jmap = Mail by JMAP
mail-accounts-messages = { $count ->
        [one] { $count } message.
       *[other] { $count } messages.
    }
mail-accounts-nothing-new = Nothing new the last time.
mail-accounts-new = { $count } new the last time.
mail-accounts-gone = { $count } gone the last time.
mail-accounts-new-and-gone = { $new } new and { $gone } gone the last time.
mail-accounts-problem-folders = There are more than 512 folders of mail.
mail-accounts-problem-not-sealed = The server would take your password unencrypted.
mail-accounts-problem-no-passwords = The server takes no passwords.
mail-accounts-problem-says-no = The server takes the login, then says no.
mail-accounts-remedy-folders = Put folders together, or delete empty ones.
mail-accounts-remedy-not-sealed = Write imaps:// before its address, or say that the server is in your own network.
mail-accounts-remedy-no-passwords = Ask whoever runs the server for a password for programs, often called an app password.
mail-accounts-problem-no-jmap = There is no mail by JMAP at that address.
mail-accounts-remedy-no-jmap = See that the address is right, or add the account as “Mail”, which goes by IMAP.
