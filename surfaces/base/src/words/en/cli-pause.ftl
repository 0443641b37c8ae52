cli-pause-lengths = a pause is `2h`, `90m` or `3d` long, or `until` a time to come: `18:00`, `tomorrow` or `2026-11-10 08:00`
cli-pause-until = Paused until { $until }.
cli-pause-none = Not paused.
