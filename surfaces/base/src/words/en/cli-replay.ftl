cli-replay-to-before-from = --to is before --from
cli-replay-keep-exists = { $folder } exists; --keep needs a new folder
cli-replay-deletion = a deletion has begun and is not done, so traces cannot be compared: try again after it; on a stopped folder `aura run` goes on with it
cli-replay-made-again = { $made ->
        [one] { $made } trace
       *[other] { $made } traces
    } made again, { $wrong } differ
cli-replay-erased = { $count } of them were not compared: something they were decided by was erased
cli-replay-other-rules = { $count } more were not compared: they were begun by the rules of another version of Aura ({ $numbers }; this version has number { $here }), which decides otherwise
cli-replay-number = number { $number }
cli-replay-differs-at = { $code }: trace { $trace } at { $at }: { $problem }
cli-replay-differs = { $code }: trace { $trace }: { $problem }
cli-replay-not-stored = the journal makes it, and it is not stored
cli-replay-not-json = what is stored is not JSON
cli-replay-other-values = what is stored is not what the journal makes
cli-replay-other-order = the same values in another order or layout
cli-replay-not-made = it is stored, and the journal does not make it
