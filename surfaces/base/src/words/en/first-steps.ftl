first-steps-tick-all = Tick all of them
first-steps-set-up = Set it up
