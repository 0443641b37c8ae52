cli-inbox-nothing-waits = Nothing waits for you.
cli-inbox-column-run = run
cli-inbox-column-step = step
cli-inbox-column-feature = feature
cli-inbox-column-until = until
cli-inbox-asks-nothing = that run asks nothing: `aura inbox list` says which do
cli-inbox-question = { $what }, step { $step }, until { $until }
cli-inbox-answers = `aura inbox answer { $run } TEXT` answers.
