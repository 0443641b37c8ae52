cli-logs-nothing-logged = hier gibt es kein Log: Ein Dienst, den `aura open` startet, schreibt eines; einer des Dienstmanagers hat dessen Journal
cli-logs-no-journalctl = der Dienstmanager hat das Log, und journalctl lässt sich nicht starten: { $error }
