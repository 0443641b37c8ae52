cli-owner-name-shape = Kleinbuchstaben, Ziffern und Bindestriche, höchstens 63, kein Bindestrich an einem Ende
cli-owner-host = { $count ->
        [one] Auras Host: { $count } Person aus { $folder } unter http://NAME.localhost:{ $port }/ (`aura --owner NAME pair` lässt einen Browser herein). Beenden mit Strg-C.
       *[other] Auras Host: { $count } Personen aus { $folder } unter http://NAME.localhost:{ $port }/ (`aura --owner NAME pair` lässt einen Browser herein). Beenden mit Strg-C.
    }
cli-owner-there-already = { $name } gibt es schon
cli-owner-there-already-in = { $name } gibt es in { $folder } schon
cli-owner-added = { $name } hat einen Datenordner, { $folder }, mit der eigenen Konfiguration, home.toml, darin.
cli-owner-state-not-served = nicht bedient
cli-owner-state-starting = startet
cli-owner-state-serving = bedient
cli-owner-state-parked = geparkt
cli-owner-state-locked = verschlossen
cli-owner-state-paused = Pause
cli-owner-state-stopped = beendet
cli-owner-state-failed = fehlgeschlagen
cli-owner-nobody = Noch niemand: `aura owner add NAME`.
cli-owner-not-there = { $name } gibt es nicht: `aura owner list` zeigt alle
cli-owner-no-host-paused = Kein Host läuft, und keiner bedient { $name } bis `aura owner resume { $name }`.
cli-owner-no-host = Kein Host läuft: `aura host` bedient { $name }.
cli-owner-not-hosted = Der Host bedient { $name } nicht.
cli-owner-starting = Der Dienst von { $name } startet: `aura owner list` sagt, wie es steht, `aura --owner { $name } pair` lässt einen Browser herein.
cli-owner-serving = { $name } wird bedient: `aura --owner { $name } pair` lässt einen Browser herein.
cli-owner-parked = Für { $name } steht nichts an: Der Dienst beginnt mit dem nächsten Besuch, mit einer Änderung oder sobald etwas ansteht.
cli-owner-locked = Der Ordner von { $name } ist verschlossen, bis auf der Seite seine Passphrase eingegeben wird.
cli-owner-paused = { $name } wird nicht bedient, bis `aura owner resume { $name }`.
cli-owner-stopped = Der Dienst von { $name } ist beendet, bis `aura owner resume { $name }` oder zum nächsten Start des Hosts.
cli-owner-log-says-why = das Log des Hosts sagt, warum
cli-owner-failed = { $name } wird nicht bedient: { $why }
cli-owner-moved = Der Datenordner von { $name } ist jetzt { $folder }.
