frames-agenda-tasks = Aufgaben
frames-agenda-no-task = An diesem Tag ist nichts fällig.
frames-settings-only-shown = Dieser Haushalt ist erfunden, deshalb werden seine Einstellungen nur gezeigt. In deinem eigenen Aura änderst du jede hier.
frames-months-end-no-balance = Sag mir deinen Kontostand, dann kann ich zeigen, wo der Monat endet.
frames-months-end-too-early = Wo der Monat endet, kann ich noch nicht sagen: Dafür waren die letzten Ausgaben zu wenige, oder sie schwanken zu sehr.
frames-megabytes = { $value } MB
frames-looks-then = Ich sehe wieder nach, und früher, wenn etwas hereinkommt
