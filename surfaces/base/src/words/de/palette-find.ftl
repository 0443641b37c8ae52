palette-find-person = Person
palette-find-chat = Chat
palette-find-today = heute
palette-find-event = Termin · { $when }
palette-find-cancelled = Abgesagt · { $when }
palette-find-payment = Zahlung · { $sum } · { $day }
palette-find-due = Wiederkehrend · { $sum } · { $day }
palette-find-week = KW { $number } { $year }
