cli-gate-line = Zeile { $line }
cli-gate-standard-input = Standardeingabe
cli-gate-admitted = { $place }: zugelassen { $tool } (args { $hash })
cli-gate-refused = { $place }: abgelehnt { $code } bei { $pointer } ({ $rule }): { $message }
cli-gate-checked = { $calls } geprüft, { $refused } abgelehnt
