undo-later-undid = You took back that a card was put off.
undo-later-says = Undo: I ask again now.
undo-later-taken-back = Put off, and taken back: { $what }.
undo-later-asked-again = Asked again: { $what }.
undo-later-watch-drafted = A draft is in your outbox
undo-later-watch-muted = Muted until { $until }
undo-later-watch-put-off = Put off until { $until }
