cli-logs-nothing-logged = nothing was logged here: a service that `aura open` starts writes a log, one of the service manager's has its journal
cli-logs-no-journalctl = the service manager has the log, and journalctl cannot be started: { $error }
