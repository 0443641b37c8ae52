cli-update-no-package = { $path } nennt kein Paket von Aura: nenne die SHA256SUMS einer Ausgabe
cli-update-newer = { $there } ist neuer als dieses Programm, das { $here } ist. `aura docs install` sagt, wie seine Signatur geprüft und wie es installiert wird.
cli-update-nothing-newer = Nichts Neueres: dort { $there }, hier { $here }.
