cli-sign-in-aura-must-run = Aura must run while you sign in: aura open
cli-sign-in-by-browser = Open this address in a browser on this computer, and sign in at { $host }:
cli-sign-in-by-code = Open { $address } on any device, and type this code there by { $until }:
cli-sign-in-waiting = Waiting for the provider. Ctrl-C waits no more; what was begun goes on.
cli-sign-in-no-account = no account is called { $name } any more
cli-sign-in-try = aura source test { $name } tries it.
