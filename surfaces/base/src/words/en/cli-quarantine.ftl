cli-quarantine-nothing = Nothing was refused.
cli-quarantine-nothing-of-that = Nothing of that was refused.
cli-quarantine-would-purge = { $lines ->
        [one] { $lines } line
       *[other] { $lines } lines
    }, { $bytes ->
        [one] { $bytes } byte
       *[other] { $bytes } bytes
    }, { $files ->
        [one] { $files } whole file
       *[other] { $files } whole files
    } would be removed
cli-quarantine-purged = { $lines ->
        [one] { $lines } line
       *[other] { $lines } lines
    }, { $bytes ->
        [one] { $bytes } byte
       *[other] { $bytes } bytes
    }, { $files ->
        [one] { $files } whole file
       *[other] { $files } whole files
    } removed
cli-quarantine-only-calls = only a call can be a fixture: leave out --kind
cli-quarantine-written-to = written to { $path }: look at it before you share it
cli-quarantine-replayed = { $passes } would pass, { $refused } refused ({ $differently } of them for another reason), { $not_replayable } cannot be replayed
cli-quarantine-no-fixture = line { $number } is no fixture: { $why }
cli-quarantine-passes-today = it passes today
cli-quarantine-depends-on-time = its refusal depends on the time or on a confirmation, which no file holds
cli-quarantine-cannot-write = could not write { $path } ({ $why }): name another folder with --as-fixture=DIR
cli-quarantine-redacted = it was redacted, so the refused bytes are not there any more
cli-quarantine-no-call = it does not say which call it answers
cli-quarantine-cut = only its beginning is kept
cli-quarantine-would-pass = { $then }: would pass
cli-quarantine-would-pass-otherwise = { $then }: would pass but for what is not replayed: its deadline, a confirmation, what was asked
cli-quarantine-still-refused = { $then }: still refused
cli-quarantine-refused-as = { $then }: refused as { $code } { $pointer }: { $message }
cli-quarantine-not-replayable = { $then }: cannot be replayed: { $why }
cli-quarantine-from-one = 0 is not in 1..: lines are numbered from 1
cli-quarantine-no-line-name = neither a number from 1, nor 6 to 64 digits of a sha256, nor last
cli-quarantine-more-than-one = more than one line begins so: give more digits of its sha256
cli-quarantine-no-line-number = there is no line { $number }: `aura quarantine list --kind { $kind }` shows those there are
cli-quarantine-no-line-sha = there is no line with sha256 { $sha }: `aura quarantine list --kind { $kind }` shows those there are
cli-quarantine-no-line = there is no line: `aura quarantine list --kind { $kind }` shows those there are
cli-quarantine-no-time = neither RFC 3339, as 2026-11-03T08:15:00Z, nor so long ago, as 90s, 15m, 1h, 2d, 1w
cli-quarantine-no-span = not a span; write it as 90s, 15m, 12h, 30d or 2w
cli-quarantine-stats = { $kind }: { $entries } kept, { $lost } lost, { $unreadable } unreadable; { $bytes ->
        [one] { $bytes } byte
       *[other] { $bytes } bytes
    } in { $files ->
        [one] { $files } file
       *[other] { $files } files
    }, { $torn ->
        [one] { $torn } torn line
       *[other] { $torn } torn lines
    } set aside
cli-quarantine-from-to = from { $from } to { $to }
cli-quarantine-by-code = code
cli-quarantine-by-agent = agent
cli-quarantine-by-tool = tool
cli-quarantine-by-day = day
cli-quarantine-no-service = no service runs on this folder
cli-quarantine-service = the service, since its start: { $written } written, { $overflowed } lost because too many waited, { $failed } because they could not be written, { $purged } purged
cli-quarantine-service-failing = the service, since its start: { $written } written, { $overflowed } lost because too many waited, { $failed } because they could not be written, { $purged } purged; IT CANNOT WRITE NOW
cli-quarantine-other-version = the service is of another version: restart it
cli-quarantine-column-n = n
cli-quarantine-column-time = time (UTC)
cli-quarantine-column-code = code
cli-quarantine-column-tool = tool
cli-quarantine-column-bytes = bytes
cli-quarantine-column-pointer = pointer
cli-quarantine-lost = { $count } were lost here
cli-quarantine-unreadable = not a line of ours, { $bytes ->
        [one] { $bytes } byte
       *[other] { $bytes } bytes
    }
cli-quarantine-torn = unfinished, { $bytes ->
        [one] { $bytes } byte
       *[other] { $bytes } bytes
    }
cli-quarantine-not-known = not known
cli-quarantine-raw-base64 = raw (base64)
cli-quarantine-raw = raw
cli-quarantine-time = time
cli-quarantine-code = code
cli-quarantine-pointer = pointer
cli-quarantine-message = message
cli-quarantine-program = program
cli-quarantine-tool = tool
cli-quarantine-call = call
cli-quarantine-trace = trace
cli-quarantine-catalogue = catalogue
cli-quarantine-bytes = bytes
cli-quarantine-no-such-code = no such code; they look like GATE-009: `aura help GATE-009`
cli-quarantine-no-such-agent = no such agent; there are { $names }
