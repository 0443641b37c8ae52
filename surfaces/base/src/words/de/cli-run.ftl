cli-run-not-of-the-demo = { $folder } ist nicht von `aura demo`, darum entfernt --fresh diesen Ordner nicht; nenne einen anderen mit --data
cli-run-page = Auras Seite:  { $address }  (`aura pair` lässt einen weiteren Browser herein)
cli-run-data-folder = Datenordner:  { $folder }
cli-run-morning-begins = Der Morgen des Haushalts beginnt, sobald die Seite offen ist; seine Karte kommt zehn Sekunden später.
cli-run-morning-has-begun = Der Morgen des Haushalts hat begonnen; seine Karte kommt in zehn Sekunden.
cli-run-stop = Beenden mit Strg-C.
