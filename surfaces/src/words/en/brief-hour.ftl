brief-hour-change = Change when the brief may come
brief-hour-all-day-tomorrow = { $things } tomorrow, all day.
brief-hour-counted = Counted at { $at }: what was over by then or came since is not in it.
