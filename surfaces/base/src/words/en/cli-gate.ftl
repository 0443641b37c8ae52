cli-gate-line = line { $line }
cli-gate-standard-input = standard input
cli-gate-admitted = { $place }: admitted { $tool } (args { $hash })
cli-gate-refused = { $place }: refused { $code } at { $pointer } ({ $rule }): { $message }
cli-gate-checked = { $calls } checked, { $refused } refused
