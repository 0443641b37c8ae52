cli-sign-in-aura-must-run = Aura muss laufen, während du dich anmeldest: aura open
cli-sign-in-by-browser = Öffne diese Adresse in einem Browser auf diesem Rechner und melde dich bei { $host } an:
cli-sign-in-by-code = Öffne { $address } auf irgendeinem Gerät und gib dort bis { $until } diesen Code ein:
cli-sign-in-waiting = Warte auf den Anbieter. Strg-C beendet das Warten; was begonnen ist, geht weiter.
cli-sign-in-no-account = kein Konto heißt mehr { $name }
cli-sign-in-try = aura source test { $name } probiert es aus.
