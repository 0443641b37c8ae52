cli-run-not-of-the-demo = { $folder } was not made by `aura demo`, so --fresh does not remove it; name another folder with --data
cli-run-page = Aura's page:  { $address }  (`aura pair` lets another browser in)
cli-run-data-folder = data folder:  { $folder }
cli-run-morning-begins = The household's morning begins when the page is open; its card comes ten seconds later.
cli-run-morning-has-begun = The household's morning has begun; its card comes in ten seconds.
cli-run-stop = Stop with Ctrl-C.
