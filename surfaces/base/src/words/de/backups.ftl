backups-backups = Sicherung
backups-backups-say = Eine versiegelte Datei mit allem, was ich aufbewahre. Sie öffnet sich mit einer eigenen Passphrase, auf jedem Rechner. Ich mache eine, wenn du es willst, oder immer wieder.
backups-backup-none = Hier wurde noch keine Sicherung gemacht.
backups-backup-gone = Diese Datei ist jetzt nicht da: verschoben, oder auf einer Platte, die nicht angeschlossen ist.
backups-backup-untried = Noch nicht ausprobiert.
backups-backup-folder = Ordner, vom Benutzerordner (~) aus oder mit ganzem Pfad
backups-backup-folder-means = Am besten auf einer anderen Platte als der dieses Rechners.
backups-backup-passphrase = Passphrase der Sicherung
backups-backup-repeated = Dieselbe noch einmal
backups-backup-passphrase-means = Mindestens zwölf Zeichen. Ich bewahre sie nicht auf. Ohne sie kann niemand die Datei öffnen, auch ich nicht.
backups-backup-make = Sicherung machen
backups-backup-try = Zurückholen ausprobieren
backups-backup-try-means = An einen eigenen Ort, der wieder entfernt wird. Nichts von dem, was ich jetzt aufbewahre, ändert sich.
backups-backup-not-same = Die beiden Passphrasen sind nicht gleich.
backups-backup-not-here = Eine Sicherung lässt sich nur in dem Browser machen und ausprobieren, den Aura selbst auf diesem Rechner geöffnet hat, innerhalb einer halben Stunde.
backups-backup-last = Die letzte: { $when }, { $value } MB: { $place }
backups-backup-tried = Ausprobiert: { $when }. Alles kam zurück.
backups-backup-stage-i-am-writing = Ich schreibe die Sicherung.
backups-backup-stage-i-am-bringing = Ich hole sie zur Probe zurück.
backups-backup-stage-the-backup-is = Die Sicherung ist geschrieben. Probiere sie unten aus, damit sicher ist, dass sie sich zurückholen lässt.
backups-backup-stage-it-can-be = Sie lässt sich zurückholen: { $files ->
        [one] { $files } Datei kam zurück, und ihre Datenbank ist heil.
       *[other] { $files } Dateien kamen zurück, und ihre Datenbank ist heil.
    }
backups-backup-stage-there-is-no = Diesen Ordner gibt es nicht, oder es ist mein eigener: Nenne einen anderen, der da ist.
backups-backup-stage-that-is-not = Das ist nicht die Passphrase dieser Sicherung.
backups-backup-stage-that-did-not = Das ging nicht. Was ich aufbewahre, ist wie zuvor.
backups-again = Und wieder
backups-again-means = Die nächsten kommen in denselben Ordner und öffnen sich mit derselben Passphrase. Ich behalte die neuesten fünf davon. Ist der Ordner nicht da, versuche ich es jede Stunde wieder.
backups-end = Keine mehr von selbst machen
backups-once = nicht
backups-daily = jeden Tag
backups-weekly = jede Woche
backups-monthly = alle 30 Tage
backups-planned = Von selbst gemacht: { $often }, in { $place }. Die nächste: { $next }.
backups-missed-folder = { $when } ging keine: Der Ordner war nicht da. Schließ seine Platte an, oder mach eine woanders.
backups-missed-failed = { $when } ging keine.
