cli-model-column-name = NAME
cli-model-column-file = FILE
cli-model-tier-choose = choose
cli-model-tier-write = write
cli-model-column-tier = TIER
cli-model-column-size = SIZE
cli-model-column-licence = LICENCE
cli-model-column-from = FROM
cli-model-file-absent = not here
cli-model-file-part = a part
cli-model-file-wrong = another file
cli-model-file-there = here
cli-model-fetch-own = { $size }, from your file
cli-model-fetch-from = { $size }, from { $origin }
cli-model-is-here-already = { $name } is here already: { $file } ({ $bytes ->
        [one] { $bytes } byte
       *[other] { $bytes } bytes
    }, SHA-256 as in its manifest)
cli-model-is-here = { $name } is here: { $file } ({ $bytes ->
        [one] { $bytes } byte
       *[other] { $bytes } bytes
    }, SHA-256 as in its manifest)
cli-model-checked = { $name }: { $bytes ->
        [one] { $bytes } byte
       *[other] { $bytes } bytes
    }, SHA-256 as in its manifest
cli-model-answered = loaded in { $load } ms, { $tokens ->
        [one] { $tokens } token
       *[other] { $tokens } tokens
    } asked, first token after { $first } ms, answered after { $total } ms
cli-model-sandbox = sandbox: { $level }
cli-model-checking = checking its bytes: { $percent } %
cli-model-none-asked-now = No model is asked now: sentences are templates.
cli-model-none-asked-next = No model is asked from the next start on: sentences are templates.
cli-model-asked-now = { $name } is asked now.
cli-model-asked-next = { $name } is asked from the next start on.
cli-model-no-file = Its file is not here yet: aura model fetch { $name }
