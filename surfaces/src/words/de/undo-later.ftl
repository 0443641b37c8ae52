undo-later-undid = Du hast zurückgenommen, dass eine Karte verschoben war.
undo-later-says = Rückgängig: Ich frage jetzt wieder.
undo-later-taken-back = Verschoben und zurückgenommen: { $what }.
undo-later-asked-again = Wieder gefragt: { $what }.
undo-later-watch-drafted = Entwurf liegt im Postausgang
undo-later-watch-muted = Stumm bis { $until }
undo-later-watch-put-off = Verschoben bis { $until }
