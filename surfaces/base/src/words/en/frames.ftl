frames-agenda-tasks = Tasks
frames-agenda-no-task = Nothing is due that day.
frames-settings-only-shown = This household is made up, so its settings are only shown. In your own Aura you change each of them here.
frames-months-end-no-balance = Tell me your balance and I can show where the month ends.
frames-months-end-too-early = I cannot say yet where the month ends: what you spent lately is too little for it, or differs too much from day to day.
frames-megabytes = { $value } MB
frames-looks-then = I look again, and sooner when something comes in
