cli-whatif-day = { $date }  { $recorded ->
        [one] { $recorded } Unterbrechung
       *[other] { $recorded } Unterbrechungen
    }, mit dem anderen Regelwerk { $what_if }
cli-whatif-sums = { $days ->
        [one] { $days } Tag
       *[other] { $days } Tage
    }: { $recorded ->
        [one] { $recorded } Unterbrechung
       *[other] { $recorded } Unterbrechungen
    }, mit dem anderen Regelwerk { $what_if }; { $added } hinzugekommen, { $removed } weggefallen, { $moved } verschoben, { $changed } geändert
cli-whatif-other-rules = { $count ->
        [one] { $count } Entscheidung fiel nach den Regeln einer anderen Version von Aura und wurde nicht noch einmal getroffen
       *[other] { $count } Entscheidungen fielen nach den Regeln einer anderen Version von Aura und wurden nicht noch einmal getroffen
    }
cli-whatif-score = Wertung
