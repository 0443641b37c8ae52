kept-no-payment-known = Was in diesen sieben Tagen ausgegeben wurde, ist nicht bekannt.
kept-no-payment-this-week = Keine Zahlung in diesen sieben Tagen.
kept-nothing-spent = nichts
kept-payments-kept-the-newest-of = { $count }, die neueste vom { $newest }.
kept-count-payments = { $count ->
        [one] { $count } Zahlung
       *[other] { $count } Zahlungen
    }
kept-spent-in-week-you-spent-in = In sieben Tagen hast du { $total } ausgegeben, mit { $payments }. Am meisten an einem Tag: { $most }.
kept-payments-in-other-currencies-not-in-these = Nicht in diesen Summen: { $left_out } in anderer Währung.
kept-count-payments-that = { $count ->
        [one] { $count } Zahlung
       *[other] { $count } Zahlungen
    }
kept-payments-without-direction-not-in-these = Nicht in diesen Summen: { $left_out } ohne Angabe, ob Geld hinaus- oder hereinging.
kept-body-days-kept-the-newest-of = { $count }. Das Neueste: { $newest }.
kept-median-of = der Median vom { $day }
kept-night-before = die Nacht vor dem { $day }
kept-body-days = Schlaf und Herz
kept-body-days-which = Wie viele Tage
kept-heart-rate-variability = Herzratenvariabilität
kept-resting-heart-rate = Ruhepuls
kept-beats-a-minute = Schläge pro Minute
kept-beats = { $number } pro Minute
kept-sleep = Schlaf
kept-not-measured-then = An diesen Tagen wurde nichts gemessen.
kept-count-days = { $count ->
        [one] { $count } Tag
       *[other] { $count } Tage
    }
kept-measured-on-days = { $measured ->
        [one] Ein Wert am Tag, bekannt von { $measured } Tag auf { $days }.
       *[other] Ein Wert am Tag, bekannt von { $measured } Tagen auf { $days }.
    }
kept-only-value = Es war { $value }.
kept-middle-of-days = In der Mitte { $middle }; am wenigsten { $least }, am meisten { $most }.
kept-usual-for-you = Gewöhnlich sind bei dir { $low } bis { $high }.
kept-baseline-says = Gewöhnlich ist die Mitte deiner letzten 90 Tage, mit dem Abstand nach oben und unten, den zwei von drei Tagen einhalten. Dafür brauche ich 14 Tage.
kept-not-believable = Als nicht glaubhaft ausgelassen
kept-not-believable-says = Niemand schläft zum Beispiel in einer Nacht mehr als 20 Stunden. Die Tage oben sind ohne diese Werte.
kept-what-drove-load = Was die Belastung jetzt treibt
kept-load-score = Belastung
kept-out-of-range-and = { $first } und { $second }
kept-out-of-range-not-as-usual = Nicht wie gewöhnlich am { $day }: { $named }.
kept-low-variability = niedrige Herzratenvariabilität
kept-high-variability = hohe Herzratenvariabilität
kept-low-resting-rate = niedriger Ruhepuls
kept-high-resting-rate = hoher Ruhepuls
kept-short-sleep = kurzer Schlaf
kept-long-sleep = langer Schlaf
kept-low-load = niedrige Belastung
kept-high-load = hohe Belastung
kept-mark-a-day = Ein Tag, der nicht war wie gewöhnlich
kept-mark-a-day-says = Ein Tag, den du kennzeichnest, zählt nicht zu dem, was für dich gewöhnlich ist.
kept-mark-day = Tag
kept-mark-why = Was war
kept-mark-the-day = Tag kennzeichnen
kept-as-usual = ein gewöhnlicher Tag
kept-day-tag-on-the-road = unterwegs
kept-day-tag-not-as-usual = nicht wie gewöhnlich
kept-day-marked-counts-as-usual = Der { $day } zählt wie gewöhnlich.
kept-day-marked-is-marked = Der { $day } ist gekennzeichnet: { $day_tag }.
kept-count-payments-are = { $count ->
        [one] { $count } Zahlung ist aufbewahrt
       *[other] { $count } Zahlungen sind aufbewahrt
    }
kept-count-days-are = { $count ->
        [one] { $count } Tag ist aufbewahrt
       *[other] { $count } Tage sind aufbewahrt
    }
kept-day-tag-ill = krank
kept-in-groups = { $count }
