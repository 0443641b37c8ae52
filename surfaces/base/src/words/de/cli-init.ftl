cli-init-there-already = { $file } ist schon da und bleibt, wie sie ist: Die Datei bearbeiten oder mit --home eine andere nennen
cli-init-nobody-asked = mit --json kann niemand gefragt werden: --yes angeben
cli-init-written = { $count ->
        [one] { $file } ist geschrieben, mit { $count } Quelle. Als Nächstes: aura import liest sie einmal, aura run startet den Dienst.
       *[other] { $file } ist geschrieben, mit { $count } Quellen. Als Nächstes: aura import liest sie einmal, aura run startet den Dienst.
    }
cli-init-your-zone = Deine Zeitzone [{ $zone }]:
cli-init-no-zone = Das ist keine IANA-Zeitzone wie Europe/Berlin.
cli-init-your-names = Namen, unter denen andere dich erwähnen, mit Kommas dazwischen:
cli-init-your-addresses = Deine Mailadressen, mit Kommas dazwischen:
cli-init-nothing-found = An den üblichen Orten fanden sich keine Mail, Kalender, Journale oder Gesundheitsdaten: Sie lassen sich in der Datei nennen.
cli-init-read-it = { $kind } ({ $program }): { $path }. Lesen? [J/n]
cli-init-answers-ended = die Antworten endeten vor den Fragen: Mit --yes wird nichts gefragt
