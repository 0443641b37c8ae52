cli-memory-audit-no-such-op = no such thing is recorded
cli-memory-audit-no-such-kind = no such kind is recorded
cli-memory-audit-id-shape = an id of 1 to 64 characters out of A-Z a-z 0-9 _ . : @ -
cli-memory-audit-key-shape = lower-case hexadecimal digits of the right number
cli-memory-key-shape = a key has 1 to 64 of a-z0-9_:@-, as `aura memory search` prints it
cli-memory-audit-finding = record { $record }: { $fault }
cli-memory-audit-fault-missing = it is missing
cli-memory-audit-fault-changed = it does not follow from the record before: it was changed or moved, or one before it was taken out
cli-memory-audit-fault-meaning = its meaning is not the one it commits to
cli-memory-audit-fault-tree = its hashes of the tree are not those of its records
cli-memory-audit-fault-cut-off = it is missing with all after it: the head of { $day } stands for { $size } records
cli-memory-audit-fault-rewritten = records up to { $size } are not those that the head of { $day } stands for: they were written anew
cli-memory-audit-fault-signature = the head of { $day } over { $size } records is not signed by this installation
cli-memory-audit-proof-signature = the head is not signed by the key it names
cli-memory-audit-proof-meaning = the meaning is not the one that the record commits to
cli-memory-audit-proof-path = the record is not in the log that the head stands for
cli-memory-audit-no-record = there is no record { $seq }: the last is { $last }
cli-memory-audit-no-head-yet = no head stands for record { $seq } yet: `aura memory audit heads --now` makes one
cli-memory-audit-nothing = Nothing of that is recorded.
cli-memory-audit-waiting = waiting
cli-memory-audit-column-record = record
cli-memory-audit-column-time = local time
cli-memory-audit-column-done = done
cli-memory-audit-column-to = to
cli-memory-audit-column-id = id
cli-memory-audit-column-rows = rows
cli-memory-audit-erased = (erased)
cli-memory-audit-key = The key of this installation: { $key }
cli-memory-audit-no-head = No head was signed yet: --now signs one.
cli-memory-audit-column-day = day
cli-memory-audit-column-records = records
cli-memory-audit-column-root = root
cli-memory-audit-copy-heads = Copy `aura memory audit heads --json` elsewhere: `verify --heads` holds the log against it.
cli-memory-audit-checking = checking records
cli-memory-audit-sound = sound: { $records ->
        [one] { $records } record
       *[other] { $records } records
    }, { $erased } of them without their meaning; { $heads ->
        [one] { $heads } head
       *[other] { $heads } heads
    } and { $copied ->
        [one] { $copied } copied head
       *[other] { $copied } copied heads
    } agree
cli-memory-audit-records-wait = records of reading that wait for the next start: { $count }
cli-memory-audit-not-sound = not sound: { $finding }
cli-memory-audit-no-head-in-line = line { $number } of { $path } is no head: copy what `aura memory audit heads --json` prints
cli-memory-audit-no-proof = { $path } is no proof: it is what `aura memory audit prove SEQ` prints
cli-memory-audit-other-key = the head is signed with another key
cli-memory-audit-holds = holds: record { $seq } is one of the { $size } of { $day }, signed with { $key }
cli-memory-audit-does-not-hold = does not hold: { $fault }
cli-memory-copying = copying
cli-memory-restoring = restoring
cli-memory-backed-up = { $files ->
        [one] { $files } file
       *[other] { $files } files
    }, { $bytes ->
        [one] { $bytes } byte
       *[other] { $bytes } bytes
    } kept in { $path }
cli-memory-restored = { $files ->
        [one] { $files } file
       *[other] { $files } files
    }, { $bytes ->
        [one] { $bytes } byte
       *[other] { $bytes } bytes
    } restored into { $path }
cli-memory-nothing-removed = Nothing was removed.
cli-memory-own-folders-stay = Your own folders (mail, calendars, messages) still have what they had, and so have copies of this folder that you made: remove those yourself.
cli-memory-to-not-after-from = --to is not after --from
cli-memory-key-too-short = { $key } is too short to be an id: `aura memory search` prints keys
cli-memory-everything = everything that Aura remembers
cli-memory-all-measured = everything measured of { $kind }
cli-memory-the-day = the day { $day } ({ $zone })
cli-memory-now = now
cli-memory-the-time = the time from { $from } to { $to } ({ $zone })
cli-memory-and = { " " }and{ " " }
cli-memory-type-yes = This cannot be undone. Type yes to forget { $what }:
cli-memory-one-of = one of { $known }
cli-memory-no-moment = { $text } is no moment: RFC 3339, a local date, or a local time as `2026-11-03 08:15`
cli-memory-kept-long-enough = what was kept long enough on { $at }
cli-memory-nothing = nothing
cli-memory-would-go = would go: { $what }
cli-memory-goes = goes: { $what }
cli-memory-gone = gone: { $what }
cli-memory-count-nodes = { $count ->
        [one] { $count } node
       *[other] { $count } nodes
    }
cli-memory-count-measurements = { $count ->
        [one] { $count } measurement
       *[other] { $count } measurements
    }
cli-memory-count-notes = { $count ->
        [one] { $count } agent's note
       *[other] { $count } agents' notes
    }
cli-memory-count-edges = { $count ->
        [one] { $count } edge
       *[other] { $count } edges
    }
cli-memory-count-labels = { $count ->
        [one] { $count } label
       *[other] { $count } labels
    }
cli-memory-count-decisions = { $count ->
        [one] { $count } decision
       *[other] { $count } decisions
    }
cli-memory-count-traces = { $count ->
        [one] { $count } trace
       *[other] { $count } traces
    }
cli-memory-count-ledger-rows = { $count } ledger rows
cli-memory-count-drafts = { $count ->
        [one] { $count } draft
       *[other] { $count } drafts
    }
cli-memory-count-runs = { $count ->
        [one] { $count } run
       *[other] { $count } runs
    }
cli-memory-count-quarantine-lines = { $count } quarantine lines
cli-memory-count-events = { $count ->
        [one] { $count } event
       *[other] { $count } events
    }
cli-memory-count-damaged-stores = { $count } damaged stores
cli-memory-export-profiles = one of raw, share-with-friend, share-with-clinician, minimal
cli-memory-export-csv = csv wants a new folder: --out PATH
cli-memory-export-terminal = an export is not for a terminal: --out FILE, or a pipe
cli-memory-exporting = exporting rows
cli-memory-exported = { $rows ->
        [one] { $rows } row
       *[other] { $rows } rows
    } for { $profile } into { $path }
cli-memory-export-column-fields = fields
cli-memory-export-column-done = done
cli-memory-export-column-times = times
cli-memory-imported = { $rows ->
        [one] { $rows } row
       *[other] { $rows } rows
    } imported; { $known } were there already
cli-memory-importing = importing bytes
cli-memory-key-no-terminal = there is no terminal to ask for a passphrase: name a file with it
cli-memory-key-new-passphrase = New passphrase:{ " " }
cli-memory-key-again = The same again:{ " " }
cli-memory-key-not-the-same = the two are not the same: nothing was changed
cli-memory-key-sealing = sealing
cli-memory-key-not-sealed = Nothing is sealed: `aura memory key init` does it.
cli-memory-key-of-the-demo = It lies in the folder: this is the demo's.
cli-memory-key-sheet = A recovery sheet opens it too.
cli-memory-key-by-keyring = Sealed. The key is kept by the system's keyring.
cli-memory-key-by-passphrase = Sealed. The key is kept by a passphrase.
cli-memory-key-by-file = Sealed. The key is kept by the key file { $path }.
cli-memory-key-plan = { $files ->
        [one] { $files } file
       *[other] { $files } files
    }, { $bytes ->
        [one] { $bytes } byte
       *[other] { $bytes } bytes
    } would be sealed anew.
cli-memory-key-sealing-anew = sealing anew
cli-memory-label-length = a name has 1 to 80 characters and no line ends
cli-memory-labelled = { $key } is { $name } from now on
cli-memory-label-removed = { $key } has no name of yours any more
cli-memory-no-such-type = no such type: `aura memory search --help` names them
cli-memory-always = always
cli-memory-days = { $days ->
        [one] { $days } day
       *[other] { $days } days
    }
cli-memory-column-what = what
cli-memory-column-how-many = how many
cli-memory-column-oldest = oldest
cli-memory-column-newest = newest
cli-memory-column-kept-for = kept for
cli-memory-column-type = type
cli-memory-column-key = key
cli-memory-column-when = when
cli-memory-column-name = name
cli-memory-column-because = because
cli-memory-column-relation = relation
cli-memory-column-other = other
cli-memory-stats = { $edges ->
        [one] { $edges } relation
       *[other] { $edges } relations
    }, { $labels ->
        [one] { $labels } name of yours
       *[other] { $labels } names of yours
    }; { $traces ->
        [one] { $traces } trace
       *[other] { $traces } traces
    }, { $events ->
        [one] { $events } event
       *[other] { $events } events
    } of the journal; { $kib } KiB on disk
cli-memory-nothing-found = Nothing has these words.
cli-memory-word-in-field = { $word } in its { $field }
cli-memory-not-remembered = nothing is remembered under { $key }: `aura memory search` finds keys
cli-memory-your-name = your name for it: { $label }
cli-memory-when = when: { $at }
cli-memory-scan-too-short = each text needs at least { $least } bytes: shorter ones stand everywhere by chance
cli-memory-scan-in-page = text { $number } stands in { $path }, page { $page }
cli-memory-scan-in-file = text { $number } stands in { $path }
cli-memory-scan-none = none of { $count } texts stands anywhere
cli-memory-wipe-plan = { $files ->
        [one] { $files } file
       *[other] { $files } files
    } would be removed, the key first.
cli-memory-wiping = wiping
cli-memory-wiped = The key of { $folder } is destroyed and { $files ->
        [one] { $files } file
       *[other] { $files } files
    } are removed. Copies and backups elsewhere are yours to remove.
cli-memory-wipe-copies = Its key is in the keyring. Copies of this folder have the same key, and so has the folder that it is a copy of: they open no more either.
cli-memory-wipe-nobody-asked = with --json nobody can be asked: say --yes
cli-memory-wipe-warning = Everything in { $folder } is destroyed: the key, then { $files ->
        [one] { $files } file
       *[other] { $files } files
    }. Nobody can bring it back.
cli-memory-wipe-type = Type wipe to do it:
