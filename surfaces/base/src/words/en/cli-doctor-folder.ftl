cli-doctor-folder-start = `aura run` or `aura demo` makes it; or name the right one with --data DIR
cli-doctor-folder-no-folder = { $path } is not a folder
cli-doctor-folder-not-there = { $path } is not there
cli-doctor-folder-unreadable = { $path } cannot be read: { $error }
cli-doctor-folder-check-owner = check who owns it
cli-doctor-folder-no-store = no store in it yet
cli-doctor-folder-make-store = `aura run` or `aura demo` makes it
cli-doctor-folder-help-code-keys = `aura help CODE` with its code says more, and docs/keys.md
cli-doctor-folder-modes-alone = readable by you alone
cli-doctor-folder-modes-open = { $count ->
        [one] { $count } file or folder is
       *[other] { $count } files or folders are
    } open to others, the first is { $path }
cli-doctor-folder-lock-free = free: no service works on this folder
cli-doctor-folder-lock-process = process { $pid } works on this folder
cli-doctor-folder-lock-another = another process works on this folder
cli-doctor-folder-lock-untried = cannot be tried: { $error }
cli-doctor-folder-lock-file-system = use a file system that has locks
cli-doctor-folder-lock-never = free: no service has run here
cli-doctor-folder-lock-unopened = cannot be opened: { $error }
cli-doctor-folder-lock-owner = check who owns it
cli-doctor-folder-service-restart = restart it; `aura run` goes on from the journal
cli-doctor-folder-service-else = it answers something else than was asked
cli-doctor-folder-service-silent = it does not answer: { $error }
cli-doctor-folder-service-journal = it cannot write its journal: nothing surfaces and nothing is carried out
cli-doctor-folder-service-room = free space on the disk of the folder; it goes on by itself
cli-doctor-folder-service-agents = these agents do not answer: { $agents }
cli-doctor-folder-service-again = it starts them again by itself; if that lasts, look at its log
cli-doctor-folder-service-answers = it answers; { $ticks ->
        [one] { $ticks } tick
       *[other] { $ticks } ticks
    } so far
cli-doctor-folder-clock-confirmed = confirmed: what was kept long enough is deleted as usual
cli-doctor-folder-clock-set = have the clock set over the network; or, if it is right, `aura clock confirm`
cli-doctor-folder-space-free = { $mib } MiB free on the disk of the folder
cli-doctor-folder-space-make = make room: a journal that cannot be written stops everything that surfaces
cli-doctor-folder-space-unknown = cannot be told: { $error }
cli-doctor-folder-space-df = see `df` for its disk
cli-doctor-folder-store-restore = restore a backup of the data folder, or name another one
cli-doctor-folder-store-sound = sound: { $traces ->
        [one] { $traces } trace
       *[other] { $traces } traces
    }, { $events ->
        [one] { $events } event
       *[other] { $events } events
    }, { $size } KiB
cli-doctor-folder-made-same = made with the policy and the catalogue of this program
cli-doctor-folder-made-policy = made with another policy than this program's
cli-doctor-folder-made-catalogue = made with another catalogue than this program's
cli-doctor-folder-made-both = made with another policy and another catalogue than this program's
cli-doctor-folder-made-update = expected after an update; otherwise use the program that made it
cli-doctor-folder-raw-none = none wait for the store
cli-doctor-folder-raw-wait = { $count } wait for the store
cli-doctor-folder-raw-commit = the next commit that succeeds takes them in: check the disk's space
cli-doctor-folder-refused-none = none
cli-doctor-folder-refused-kept = { $entries } kept, { $lost } lost, { $unreadable ->
        [one] { $unreadable } line unreadable
       *[other] { $unreadable } lines unreadable
    }
cli-doctor-folder-refused-look = look at them: { $command }
cli-doctor-folder-errors-owner = check who owns the folder `errors`
cli-doctor-folder-keeping-failing = the service cannot write what it refuses: { $lost } lost since its start
cli-doctor-folder-keeping-room = free space on the disk of the folder, and check who owns `errors`
cli-doctor-folder-keeping-lost = lost since the service's start: { $failed } that could not be written, { $overflowed } because too many waited
cli-doctor-folder-keeping-stats = look at what is refused so often: aura quarantine stats
cli-doctor-folder-keeping-written = { $written } written since the service's start, none lost
cli-doctor-folder-keeping-silent = the service does not say: { $error }
cli-doctor-folder-keeping-restart = restart the service
cli-doctor-folder-key-demo = sealed, and the key lies beside it: this is the demo's folder, and everybody in it is invented
cli-doctor-folder-key-sealed = sealed; the key is kept by { $place }
cli-doctor-folder-key-none = there is none yet, and nothing that needs one
cli-doctor-folder-key-make = `aura memory key init` makes one (docs/keys.md)
cli-doctor-folder-key-plain = it is of an earlier Aura: nothing in the folder is sealed
cli-doctor-folder-key-seal = `aura memory key init` seals it (docs/keys.md)
cli-doctor-folder-rows-lost = { $lost } of { $rows } rows of { $table }
cli-doctor-folder-rows-unknown = rows of { $table }, nobody can say how many
cli-doctor-folder-repaired-nothing = the store was damaged and is repaired; nothing was lost
cli-doctor-folder-repaired-lost = the store was damaged and is repaired; lost: { $tables }
cli-doctor-folder-repaired-remove = check the disk; a backup may hold what was lost; then remove { $path } and what begins so
