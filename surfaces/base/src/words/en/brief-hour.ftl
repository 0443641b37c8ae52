brief-hour-change = Change when the brief may come
brief-hour-all-day-tomorrow = { $things } tomorrow, all day.
