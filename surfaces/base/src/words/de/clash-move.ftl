clash-move-alone = { $name } lässt sich verschieben, denn sonst ist niemand dabei. Frei bist du:
clash-move-others = Wenn du für { $name } eine andere Zeit vorschlagen willst: Frei bist du
