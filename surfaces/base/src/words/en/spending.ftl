spending-spending = Spending
spending-came-in = Came in
spending-by-category = What for
spending-by-merchant = Where
spending-by-account = From which account
spending-each-payment = Each payment
spending-other-merchants = all others
spending-unnamed-merchant = a shop that I cannot name now
spending-no-account = an account that was not named
spending-no-payment-then = I know of no payment in this time.
spending-older-than-read = Of what I read for the first time I take { $days ->
        [one] the last day
       *[other] the last { $days } days
    }. Of older days I have what I read in their time, and no more.
spending-spending-says = Sums of the payments that I keep. Money between your own accounts is not among them.
spending-money-in = came in
spending-no-direction = in or out is not known
spending-spent-each-day = Each day
spending-spent-in-days = { $total } in { $payments }; { $most } on the day of most.
spending-account = account …{ $last4 }
spending-spent-before = { $sum } in the time before, { $when }.
spending-spent-before-by-now = { $when }: { $part } by this day, { $sum } in all.
spending-count-payments = { $count ->
        [one] { $count } payment
       *[other] { $count } payments
    }
spending-payments-left-out = { $payments } left out: whether it came in or went out is not known.
spending-more-payments = and { $payments } more
spending-between-accounts = Between your accounts
spending-name-your-accounts = Name your accounts
spending-from-account-to = { $account } to { $account2 }
spending-more-transfers-and-more = and { $count } more
spending-likely-transfers-and = { $account } and { $account2 }
spending-likely-transfers-one-payment-looks = One payment looks like money between { $between }. It is in the sums until I know that both are yours.
spending-likely-transfers-payments-look-like = { $count } payments look like money between your accounts, such as { $between }. They are in the sums until I know which accounts are yours.
spending-count-transfers = { $count ->
        [one] { $count } transfer
       *[other] { $count } transfers
    }
