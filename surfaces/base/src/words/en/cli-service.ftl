cli-service-nothing-started = nothing was ever started in this folder
cli-service-stopping = stopping
cli-service-not-running = no service runs on { $folder }; start one with `aura run`
cli-service-tick = tick
