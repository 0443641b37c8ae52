cli-learned-classes = eine Klasse ist needs_you, group, date, bill, code, news, talk, waiting oder spam
cli-learned-column-who = wer
cli-learned-column-what = was gelernt wurde
