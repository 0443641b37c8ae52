cli-clock-sure = Die Uhr dieses Rechners zeigt { $date }, { $time } ({ $zone }). Was bis dahin lange genug aufbewahrt wurde, wird gelöscht. Wenn das die richtige Zeit ist, yes eingeben:
cli-clock-nothing-changed = Nichts wurde geändert.
cli-clock-confirmed = Die Zeit ist bis { $at } bestätigt ({ $zone }).
cli-clock-as-usual = Was lange genug aufbewahrt wurde, wird wie gewohnt gelöscht.
cli-clock-later-day = Nichts Neueres wird wegen seines Alters gelöscht, bis ein späterer Tag die Uhr bestätigt.
cli-clock-ahead = Nichts Neueres wird wegen seines Alters gelöscht: Die Uhr dieses Rechners zeigt { $at }, und das kann falsch sein. Weiter geht es, sobald die Uhr über das Netz gestellt ist oder du sagst, dass sie stimmt (`aura clock confirm`).
cli-clock-behind = Nichts wird wegen seines Alters gelöscht: Die Uhr dieses Rechners zeigt { $at }, früher als zuvor. Weiter geht es, sobald die Uhr richtig gestellt ist oder du sagst, dass sie stimmt (`aura clock confirm`).
