brief-hour-change = Ändern, ab wann der Morgenüberblick kommen darf
brief-hour-all-day-tomorrow = { $things } morgen, ganztägig.
brief-hour-counted = Gezählt um { $at }: Was da schon vorbei war oder seither dazukam, ist nicht dabei.
