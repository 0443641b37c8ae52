muting-muted-person = Stumm geschaltet: Ich spreche nicht von dem, was { $name } schreibt, in welchem Chat oder welcher Mail auch immer. Dein Morgenüberblick zählt es trotzdem.
muting-nothing-of = Ich spreche von nichts mehr, was { $name } schreibt. Dein Morgenüberblick zählt es trotzdem.
muting-this-sender = dieser Absender
