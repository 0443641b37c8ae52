cli-clock-sure = This computer's clock says { $date }, { $time } ({ $zone }). What was kept long enough by then will be deleted. Type yes if that is the right time:
cli-clock-nothing-changed = Nothing was changed.
cli-clock-confirmed = Time is confirmed up to { $at } ({ $zone }).
cli-clock-as-usual = What was kept long enough is deleted as usual.
cli-clock-later-day = Nothing newer is deleted by its age until a later day confirms the clock.
cli-clock-ahead = Nothing newer is deleted by its age: this computer's clock says { $at }, which may be wrong. It goes on when the clock is synchronised over the network, or when you say that it is right (`aura clock confirm`).
cli-clock-behind = Nothing is deleted by its age: this computer's clock says { $at }, earlier than before. It goes on when the clock is set right, or when you say that it is right (`aura clock confirm`).
