cli-pause-lengths = eine Pause dauert `2h`, `90m` oder `3d`, oder `until` bis zu einer Zeit, die noch kommt: `18:00`, `tomorrow` oder `2026-11-10 08:00`
cli-pause-until = Pause bis { $until }.
cli-pause-none = Keine Pause.
