source-remedy-remedy-sources = Ansehen, was ich lese.
source-remedy-remedy-file = Eine andere Datei wählen.
source-remedy-remedy-statement = Beantworten, was der Kontoauszug offenlässt.
source-remedy-remedy-sender = Sagen, ob dieser Absender zählt.
source-remedy-remedy-message = Mir zeigen, was bezahlt wurde.
source-remedy-remedy-again = Alles noch einmal lesen.
source-remedy-remedy-phone = Ansehen, wie dein Telefon es sendet.
source-remedy-read-disk-full = Ich kann nicht aufbewahren, was ich lese: Die Festplatte dieses Rechners ist voll. Schaff dort Platz, dann mache ich von selbst weiter; verloren ist nichts.
source-remedy-stop-counts = Davon habe ich im Gedächtnis, aus dieser Quelle und aus anderen:
source-remedy-stop-read =
    { $items ->
        [0] Seit ich laufe, habe ich nichts dieser Art gelesen.
        [one] Seit ich laufe, habe ich eines dieser Art gelesen.
       *[other] Seit ich laufe, habe ich { $items } dieser Art gelesen.
    }
source-remedy-stop-show = Zeigen, was vergessen würde: { $kind }
