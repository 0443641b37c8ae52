cli-inbox-nothing-waits = Keine Frage wartet auf dich.
cli-inbox-column-run = Lauf
cli-inbox-column-step = Schritt
cli-inbox-column-feature = Feature
cli-inbox-column-until = bis
cli-inbox-asks-nothing = dieser Lauf fragt nichts: `aura inbox list` zeigt, welche fragen
cli-inbox-question = { $what }, Schritt { $step }, bis { $until }
cli-inbox-answers = `aura inbox answer { $run } TEXT` antwortet.
