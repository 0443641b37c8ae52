cli-owner-name-shape = small letters, digits and hyphens, at most 63, no hyphen at either end
cli-owner-name-of-granted = the granted name is none that a host can have: small letters, digits and hyphens, at most 63
cli-owner-grant-sure = The host with the fingerprint { $fingerprint } will open everything of this owner by itself: what there is, and what comes until it is taken back. Compare the fingerprint with what `aura-hosts join` prints there. Type yes to grant it:
cli-owner-remove-everywhere-sure = Everything of this owner is destroyed on all her hosts, and what the log holds of her opens for nobody then: { $folder }. It cannot be undone. Type yes to do it:
cli-owner-grant-passphrase-sure = This folder opens with a passphrase. The host with the fingerprint { $fingerprint } will open everything of this owner by itself, without that passphrase, after each of its starts: what there is, and what comes until it is taken back. Compare the fingerprint with what `aura-hosts join` prints there. Type yes to grant it:
cli-owner-host = Aura's host: { $count ->
        [one] { $count } owner
       *[other] { $count } owners
    } of { $folder } at http://NAME.localhost:{ $port }/ (`aura --owner NAME pair` lets a browser in). Stop with Ctrl-C.
cli-owner-there-already = there is an owner { $name } already
cli-owner-there-already-in = there is an owner { $name } in { $folder } already
cli-owner-added = { $name } has a data folder, { $folder }, with her configuration, home.toml, in it.
cli-owner-state-not-served = not served
cli-owner-state-starting = starting
cli-owner-state-serving = serving
cli-owner-state-parked = parked
cli-owner-state-locked = locked
cli-owner-state-paused = paused
cli-owner-state-stopped = stopped
cli-owner-state-failed = failed
cli-owner-state-elsewhere = with another host
cli-owner-nobody = Nobody yet: `aura owner add NAME`.
cli-owner-not-there = there is no owner { $name }: `aura owner list` shows them
cli-owner-no-host-paused = No host runs, and none will serve { $name } until `aura owner resume { $name }`.
cli-owner-no-host = No host runs: `aura host` serves { $name }.
cli-owner-not-hosted = The host does not serve { $name }.
cli-owner-starting = { $name }'s service starts: `aura owner list` says how it stands, `aura --owner { $name } pair` lets her browser in.
cli-owner-serving = { $name } is served: `aura --owner { $name } pair` lets her browser in.
cli-owner-parked = { $name } has nothing due: her service begins with her next visit, with what changes, or when something is.
cli-owner-locked = { $name }'s folder is locked until she types its passphrase on her page.
cli-owner-paused = { $name } is not served, until `aura owner resume { $name }`.
cli-owner-elsewhere = { $name } is served by another host, or will be in a moment.
cli-owner-stopped = { $name }'s service has ended, until `aura owner resume { $name }` or the next start of the host.
cli-owner-log-says-why = the host's log says why
cli-owner-failed = { $name } is not served: { $why }
cli-owner-moved = { $name }'s data folder is { $folder } now.
