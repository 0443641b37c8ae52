cli-workflow-feature = 1 to 64 letters, digits, points, hyphens and underscores, the first no point
cli-workflow-not-put-back = Nothing was put back: { $refusal }
cli-workflow-checked = { $workflows ->
        [one] { $workflows } workflow
       *[other] { $workflows } workflows
    } checked, { $findings } findings
cli-workflow-no-feature = this workflow writes files: name what it works on with --feature ID
cli-workflow-shared = { $path } must be one JSON object of at most 256 KiB
cli-workflow-steps = { $count ->
        [one] { $count } step
       *[other] { $count } steps
    }
cli-workflow-findings = { $count ->
        [one] { $count } finding
       *[other] { $count } findings
    }: aura workflow check
cli-workflow-column-workflow = workflow
cli-workflow-column-run = run
cli-workflow-column-feature = feature
cli-workflow-column-last = last
cli-workflow-column-step = step
cli-workflow-interrupted = interrupted
cli-workflow-run-of = run { $run } of { $workflow } { $feature }
cli-workflow-in-project = in { $folder }
cli-workflow-asked = asked
cli-workflow-changed = changed: { $paths }
cli-workflow-held = Nothing was written: { $paths }. `aura workflow resume { $id }` writes it and goes on.
cli-workflow-was-interrupted = Interrupted. `aura workflow resume { $id }` goes on.
cli-workflow-waits = It waits for you until { $until }: { $summary }
cli-workflow-how-to-answer = `aura inbox answer { $id } TEXT` answers.
cli-workflow-stopped-at = It stopped at { $outcome }: { $summary }
cli-workflow-how-to-ask-again = `aura workflow resume { $id }` asks once more.
cli-workflow-stopped-for-good = It stopped for good: it asked as often as max_steps allows.
cli-workflow-process = Process { $pid } works on it.
cli-workflow-nobody-works = Nobody works on it. `aura workflow resume { $id }` goes on.
cli-workflow-phase-working = working
cli-workflow-phase-waiting = waiting
cli-workflow-phase-stopped = stopped
cli-workflow-phase-completed = completed
cli-workflow-phase-expired = expired
cli-workflow-phase-cancelled = cancelled
cli-workflow-phase-undone = undone
cli-workflow-to-be-written = To be written next:
cli-workflow-next-refused = What is to be written next is refused: { $refusal }
cli-workflow-refused = refused: { $refusal }
cli-workflow-writes = writes { $paths }
cli-workflow-has-written = has written
cli-workflow-not-written = is not written: { $refusal }
cli-workflow-announced = you were told of the question
cli-workflow-dismissed = you put the announcement away; the question stands
cli-workflow-answered = you answered: { $answer }
cli-workflow-expired = nobody answered in time
cli-workflow-resumed = resumed
cli-workflow-cancelled = cancelled
cli-workflow-undone = undone: the files are as they were before
