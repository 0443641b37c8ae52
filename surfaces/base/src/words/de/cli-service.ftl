cli-service-nothing-started = in diesem Ordner wurde noch nie etwas gestartet
cli-service-stopping = wird beendet
cli-service-not-running = auf { $folder } läuft kein Dienst; starte einen mit `aura run`
cli-service-tick = Tick
