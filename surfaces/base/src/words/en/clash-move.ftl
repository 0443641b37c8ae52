clash-move-alone = { $name } can move: nobody else is in it. You are free:
clash-move-others = To suggest another time for { $name }: you are free
