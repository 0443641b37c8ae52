cli-learned-classes = a class is needs_you, group, date, bill, code, news, talk, waiting or spam
cli-learned-column-who = who
cli-learned-column-what = what was learned
