cli-mute-length = stumm bleibt etwas 1m bis 1d lang, etwa 90m oder 8h
cli-mute-key-shape = ein Schlüssel sind 1 bis 64 Buchstaben, Ziffern oder Zeichen ohne Leerzeichen
cli-mute-not-muted = diese Person ist nicht stumm
cli-mute-nobody = Kein Chat und niemand ist stumm.
cli-mute-column-about = Chat oder Person
cli-mute-column-until = stumm bis
