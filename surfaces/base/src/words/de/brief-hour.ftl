brief-hour-change = Ändern, ab wann der Morgenüberblick kommen darf
brief-hour-all-day-tomorrow = { $things } morgen, ganztägig.
