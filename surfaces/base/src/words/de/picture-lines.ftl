picture-lines-load-load-score = Belastungswert
picture-lines-load-in-seven = { $count ->
        [one] Dein Belastungswert, wie er war, als ich in sieben Tagen einmal nachsah. { $more }
       *[other] Dein Belastungswert, wie er war, als ich in sieben Tagen { $count }{"\u00A0"}Mal nachsah. { $more }
    }
picture-lines-load-its-highest-was = Der höchste war { $number }; { $count } bei 70 oder darüber, wo Stress beginnt.
picture-lines-load-load-score-2 = Belastungswert
picture-lines-rmssd-heart-rate-variability = Herzratenvariabilität (RMSSD)
picture-lines-rmssd-what-is-usual = Was bei dir gewöhnlich ist, weiß ich noch nicht.
picture-lines-rmssd-usual-for-you = Gewöhnlich sind bei dir { $number } bis { $number2 } ms; { $count } darunter.
picture-lines-rmssd-heart-rate-variability-2 = Herzratenvariabilität
picture-lines-daily-day = Tag
picture-lines-daily-value = Wert
picture-lines-daily-marked = Gekennzeichnet
picture-lines-description-no-was-measured = { $what }: in diesen sieben Tagen nicht gemessen.
picture-lines-description-your-in-seven = { $count ->
        [one] { $what }: { $count } Messung in sieben Tagen. { $more }
       *[other] { $what }: { $count } Messungen in sieben Tagen. { $more }
    }
picture-lines-finished-day = Tag
picture-lines-finished-lowest = Tiefster
picture-lines-finished-highest = Höchster
picture-lines-finished-last = Letzter
picture-lines-finished-measured = Gemessen
picture-lines-count-measurements-were = { $count ->
        [0] keine Messung lag
        [one] eine Messung lag
       *[other] { $count } Messungen lagen
    }
