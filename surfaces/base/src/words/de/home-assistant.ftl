home-assistant-kind = Schlaf über Home Assistant
home-assistant-form = Schlaf, über Home Assistant
home-assistant-form-means = Für eine Uhr oder ein Band, deren Nächte Home Assistant kennt. Ein Sensor, der sagt, wie lange du geschlafen hast, in Stunden, Minuten oder Sekunden. Sonst lese ich nichts von deinem Zuhause.
home-assistant-sensor = Adresse von Home Assistant, mit dem Sensor dahinter
home-assistant-token = Langlebiges Zugriffstoken
home-assistant-token-means = Du legst es in Home Assistant an: dein Profil, „Sicherheit“, „Langlebige Zugriffstoken“. Es kann dort alles, was du kannst; ich lese damit nur diesen Sensor.
home-assistant-sensors = { $count ->
        [one] Ein Sensor
       *[other] { $count } Sensoren
    }
home-assistant-nights = { $count ->
        [one] eine Nacht der letzten 30 Tage
       *[other] { $count } Nächte der letzten 30 Tage
    }
home-assistant-allow-read = Ich lese jede Stunde diesen einen Sensor auf { $host } und ändere dort nichts.
home-assistant-allow-token = Das Token ist versiegelt. Ich zeige es { $host } und niemandem sonst.
home-assistant-new-token = Neues Zugriffstoken
home-assistant-new-token-of = Neues Zugriffstoken für { $name }
home-assistant-problem-no-sensor = Diesen Sensor gibt es nicht, oder er misst keine Zeit.
home-assistant-remedy-sensor = Schreib die Adresse von Home Assistant mit dem Namen eines Sensors dahinter, der sagt, wie lange du geschlafen hast, etwa /sensor.minutes_asleep.
