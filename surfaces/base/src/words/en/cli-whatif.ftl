cli-whatif-day = { $date }  { $recorded ->
        [one] { $recorded } interruption
       *[other] { $recorded } interruptions
    }, what if { $what_if }
cli-whatif-sums = { $days ->
        [one] { $days } day
       *[other] { $days } days
    }: { $recorded ->
        [one] { $recorded } interruption
       *[other] { $recorded } interruptions
    }, what if { $what_if }; { $added } added, { $removed } removed, { $moved } moved, { $changed } changed
cli-whatif-other-rules = { $count } looks were decided by the rules of another version of Aura and were not decided again
cli-whatif-score = score
