clash-later = It came later than what it clashes with:
clash-day = See that day, and what is free on it
