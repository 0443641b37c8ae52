refused-place = Place
refused-of-decision = Decision
refused-whole-document = the whole of it
refused-refused-count-nothing-was-refused = Nothing was refused.
refused-refused-count-one-and-nothing = One, and nothing came of it.
refused-refused-count-newest-first-nothing = { $count }, newest first. Nothing came of them.
refused-refused-count-the-newest-nothing = The newest { $count }. Nothing came of them.
refused-refused-bytes-no-text-shown = , no text, shown as base64
refused-refused-bytes-bytes = { $bytes ->
        [one] { $bytes } byte
       *[other] { $bytes } bytes
    }{ $how }
