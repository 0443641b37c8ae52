palette-find-person = Person
palette-find-chat = Chat
palette-find-today = today
palette-find-event = Event · { $when }
palette-find-cancelled = Called off · { $when }
palette-find-payment = Payment · { $sum } · { $day }
palette-find-due = Comes again · { $sum } · { $day }
palette-find-week = week { $number } of { $year }
