account-balances-title = Was deine Banken sagen
account-balances-since = { $told } nach dem, was deine Banken bis { $day } gesagt haben, mit allen Ein- und Ausgängen seitdem.
account-balances-on = Am { $day }; zu alt, um von dort weiterzurechnen.
