picture-day-picture-on-the-way = Unterwegs, mit Puffer
picture-day-picture-all-day = ganzer Tag
picture-day-picture-when = Wann
picture-day-picture-what = Was
picture-day-spoke = Was ich gesagt oder getan habe:
picture-day-held-back = { $count ->
        [one] Einmal habe ich geschwiegen.
       *[other] { $count }{"\u00A0"}Mal habe ich geschwiegen.
    }
picture-day-silences = { $count ->
        [0] nie geschwiegen
        [one] einmal geschwiegen
       *[other] { $count }{"\u00A0"}Mal geschwiegen
    }
picture-day-events = { $count ->
        [0] Nichts mit Uhrzeit.
        [one] { $count } Termin mit Uhrzeit.
       *[other] { $count } Termine mit Uhrzeit.
    }
