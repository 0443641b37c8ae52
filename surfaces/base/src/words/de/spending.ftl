spending-spending = Ausgaben
spending-came-in = Eingegangen
spending-by-category = Wofür
spending-by-merchant = Wo
spending-by-account = Von welchem Konto
spending-each-payment = Jede Zahlung
spending-other-merchants = alle anderen
spending-unnamed-merchant = ein Geschäft, das ich jetzt nicht nennen kann
spending-no-account = ein Konto, das nicht genannt wurde
spending-no-payment-then = In dieser Zeit kenne ich keine Zahlung.
spending-older-than-read = Von dem, was ich zum ersten Mal lese, nehme ich { $days ->
        [one] den letzten Tag
       *[other] die letzten { $days } Tage
    }. Von älteren Tagen habe ich nur, was ich damals gelesen habe.
spending-spending-says = Summen der Zahlungen, die ich aufbewahre. Umbuchungen zwischen deinen eigenen Konten sind nicht dabei.
spending-money-in = eingegangen
spending-no-direction = Ein- oder Ausgang nicht bekannt
spending-spent-each-day = Jeder Tag
spending-spent-in-days = { $total } in { $payments }; am Tag mit den höchsten Ausgaben { $most }.
spending-account = Konto …{ $last4 }
spending-spent-before = In der Zeit davor ({ $when }) { $sum }.
spending-spent-before-by-now = { $when }: bis zu diesem Tag { $part }, insgesamt { $sum }.
spending-count-payments = { $count ->
        [one] { $count } Zahlung
       *[other] { $count } Zahlungen
    }
spending-payments-left-out = { $payments } nicht mitgezählt: Ob Eingang oder Ausgang, ist nicht bekannt.
spending-more-payments = und noch { $payments }
spending-between-accounts = Zwischen deinen Konten
spending-name-your-accounts = Deine Konten benennen
spending-from-account-to = { $account } an { $account2 }
spending-more-transfers-and-more = und noch { $count }
spending-likely-transfers-and = { $account } und { $account2 }
spending-likely-transfers-one-payment-looks = Eine Zahlung sieht nach einer Umbuchung zwischen { $between } aus. Sie zählt in den Summen mit, bis ich weiß, dass beide Konten dir gehören.
spending-likely-transfers-payments-look-like = { $count } Zahlungen sehen nach Umbuchungen zwischen deinen Konten aus, etwa zwischen { $between }. Sie zählen in den Summen mit, bis ich weiß, welche Konten dir gehören.
spending-count-transfers = { $count ->
        [one] { $count } Umbuchung
       *[other] { $count } Umbuchungen
    }
