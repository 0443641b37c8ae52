periods-periods = Wie viel davon
periods-period-day = Tag
periods-period-week = Woche
periods-period-month = Monat
periods-period-today = Heute
periods-period-before = Früher
periods-period-after = Später
