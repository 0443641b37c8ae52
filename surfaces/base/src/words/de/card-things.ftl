card-things-deal = Erledigen
card-things-move = Was sich verschieben lässt
card-things-mute-hides = So lange spreche ich von nichts, was dort geschrieben wird. Danach kommt eine Übersicht.
card-things-digest-of = { $chat }: { $says }
