plain-text-card-asks-on-s = fragt: { $surface }, noch { $left_ms } s
plain-text-drawer-usually = { " " }(gewöhnlich { $range })
plain-text-drawer-removed = { " " } entfernt: { $reason }
plain-text-drawer-removed-2 = { " " } entfernt: { $value } ({ $rule })
plain-text-drawer-not-scored = { " " } nicht bewertet
