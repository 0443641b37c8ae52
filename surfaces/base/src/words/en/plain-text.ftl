plain-text-card-asks-on-s = asks on { $surface }, { $left_ms } s left
plain-text-drawer-usually = { " " }(usually { $range })
plain-text-drawer-removed = { " " } removed: { $reason }
plain-text-drawer-removed-2 = { " " } removed: { $value } ({ $rule })
plain-text-drawer-not-scored = { " " } not scored
