cli-init-there-already = { $file } is there already and stays as it is: edit it, or name another with --home
cli-init-nobody-asked = with --json nobody can be asked: say --yes
cli-init-written = { $file } written, with { $count ->
        [one] { $count } source
       *[other] { $count } sources
    }. Next: aura import reads them once, aura run serves.
cli-init-your-zone = Your time zone [{ $zone }]:
cli-init-no-zone = That is no IANA time zone, such as Europe/Berlin.
cli-init-your-names = Names by which others mention you, with commas between:
cli-init-your-addresses = Your mail addresses, with commas between:
cli-init-nothing-found = No mail, calendar, journal or health data was found in the usual places: name them in the file.
cli-init-read-it = { $kind } ({ $program }): { $path }. Read it? [Y/n]
cli-init-answers-ended = the answers ended before the questions: say --yes to be asked nothing
