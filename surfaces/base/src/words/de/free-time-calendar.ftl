free-time-calendar-choose = Anderer Kalender für Zeit, die du freihältst
free-time-calendar-goes-to = Zeit, die du freihältst, kommt nach { $calendar }.
free-time-calendar-missing = { $calendar } hast du für freigehaltene Zeit gewählt, diesen Kalender gibt es dort nicht. Sie wartet, bis du einen anderen wählst.
free-time-calendar-send = Freigehaltene Zeit kommt nach { $calendar }
