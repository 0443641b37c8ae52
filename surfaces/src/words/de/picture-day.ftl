picture-day-picture-on-the-way = Unterwegs, mit Puffer
picture-day-picture-all-day = ganzer Tag
picture-day-picture-and = { $events }, { $decisions } und { $silences }.
picture-day-picture-when = Wann
picture-day-picture-what = Was
picture-day-count-other-decisions = { $count ->
        [one] { $count } andere Entscheidung
       *[other] { $count } andere Entscheidungen
    }
picture-day-silences = { $count ->
        [one] { $count }-mal Schweigen
       *[other] { $count }-mal Schweigen
    }
picture-day-events = { $count ->
        [one] { $count } Termin
       *[other] { $count } Termine
    }
