periods-periods = How much of it
periods-period-day = Day
periods-period-week = Week
periods-period-month = Month
periods-period-today = Today
periods-period-before = Earlier
periods-period-after = Later
