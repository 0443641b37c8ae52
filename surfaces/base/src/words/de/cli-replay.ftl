cli-replay-to-before-from = --to liegt vor --from
cli-replay-keep-exists = { $folder } gibt es schon; --keep braucht einen neuen Ordner
cli-replay-deletion = ein Löschen hat begonnen und ist nicht fertig, darum lassen sich Protokolle nicht vergleichen: versuche es danach noch einmal; auf einem Ordner ohne Dienst macht `aura run` damit weiter
cli-replay-made-again = { $made ->
        [one] { $made } Protokoll nachgespielt
       *[other] { $made } Protokolle nachgespielt
    }, { $wrong ->
        [one] { $wrong } weicht ab
       *[other] { $wrong } weichen ab
    }
cli-replay-erased = { $count ->
        [one] { $count } davon wurde nicht verglichen: etwas, wonach es entschieden wurde, ist gelöscht
       *[other] { $count } davon wurden nicht verglichen: etwas, wonach sie entschieden wurden, ist gelöscht
    }
cli-replay-other-rules = { $count ->
        [one] { $count } weiteres wurde nicht verglichen: Es begann
       *[other] { $count } weitere wurden nicht verglichen: Sie begannen
    } nach den Regeln einer anderen Version von Aura ({ $numbers }; diese Version hat Nummer { $here }), die anders entscheidet
cli-replay-number = Nummer { $number }
cli-replay-differs-at = { $code }: Protokoll { $trace } bei { $at }: { $problem }
cli-replay-differs = { $code }: Protokoll { $trace }: { $problem }
cli-replay-not-stored = das Journal ergibt es, und es ist nicht gespeichert
cli-replay-not-json = was gespeichert ist, ist kein JSON
cli-replay-other-values = gespeichert ist etwas anderes, als das Journal ergibt
cli-replay-other-order = dieselben Werte in anderer Reihenfolge oder Anordnung
cli-replay-not-made = es ist gespeichert, und das Journal ergibt es nicht
