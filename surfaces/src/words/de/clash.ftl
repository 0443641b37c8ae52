clash-later = Er kam später als das, womit er sich überschneidet:
clash-day = Diesen Tag ansehen, und was daran frei ist
