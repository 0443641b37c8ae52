free-time-calendar-choose = Another calendar for time that you keep free
free-time-calendar-goes-to = Time that you keep free goes to { $calendar }.
free-time-calendar-missing = { $calendar }, which you chose for time that you keep free, is not there. That time waits until you choose another calendar.
free-time-calendar-send = Time that I keep free goes to { $calendar }
