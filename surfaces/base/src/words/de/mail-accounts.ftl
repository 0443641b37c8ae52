mail-accounts-mean = Mails bleiben auf ihrem Server: Was ich davon lese, liegt nur im Arbeitsspeicher dieses Rechners und ist weg, sobald ich beendet werde.
mail-accounts-kind = Mails über IMAP
mail-accounts-kind-jmap = Mails über JMAP
mail-accounts-messages = { $count ->
        [one] { $count } Mail.
       *[other] { $count } Mails.
    }
mail-accounts-nothing-new = Zuletzt nichts Neues.
mail-accounts-new = Zuletzt { $count } neu.
mail-accounts-gone = Zuletzt { $count } weggefallen.
mail-accounts-new-and-gone = Zuletzt { $new } neu und { $gone } weggefallen.
mail-accounts-problem-folders = Es gibt mehr als 512 Mailordner.
mail-accounts-problem-not-sealed = Der Server würde dein Passwort unverschlüsselt annehmen.
mail-accounts-problem-no-passwords = Der Server nimmt keine Passwörter.
mail-accounts-problem-says-no = Der Server nimmt die Anmeldung an und sagt dann Nein.
mail-accounts-remedy-folders = Lege Ordner zusammen oder lösche leere.
mail-accounts-remedy-not-sealed = Schreibe imaps:// vor seine Adresse, oder sage, dass der Server in deinem eigenen Netz steht.
mail-accounts-remedy-no-passwords = Frage dort nach, wo der Server betrieben wird, nach einem Passwort für Programme, oft App-Passwort genannt.
mail-accounts-problem-no-jmap = Unter dieser Adresse gibt es keine Mails über JMAP.
mail-accounts-remedy-no-jmap = Sieh nach, ob die Adresse stimmt, oder füge das Konto als „Mails“ hinzu, das geht über IMAP.
