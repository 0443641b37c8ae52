clash-later = Er kam später als das, womit er sich überschneidet:
clash-day = Den Tag ansehen und was daran frei ist
