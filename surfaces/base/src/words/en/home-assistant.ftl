home-assistant-kind = Sleep by Home Assistant
home-assistant-form = Sleep, by Home Assistant
home-assistant-form-means = For a watch or band whose nights Home Assistant knows. One sensor that says how long you slept, in hours, minutes or seconds. Nothing else of your home is read.
home-assistant-sensor = Address of Home Assistant, with the sensor behind it
home-assistant-token = Long-lived access token
home-assistant-token-means = You make one in Home Assistant: your profile, “Security”, “Long-lived access tokens”. It can do all that you can there; I only read this sensor with it.
home-assistant-sensors = { $count ->
        [one] One sensor
       *[other] { $count } sensors
    }
home-assistant-nights = { $count ->
        [one] one night of the last 30 days
       *[other] { $count } nights of the last 30 days
    }
home-assistant-allow-read = I read this one sensor on { $host } every hour and change nothing there.
home-assistant-allow-token = The token is sealed. I show it to { $host } and to nobody else.
home-assistant-new-token = New access token
home-assistant-new-token-of = New access token for { $name }
home-assistant-problem-no-sensor = There is no such sensor, or it measures no time.
home-assistant-remedy-sensor = Write the address of Home Assistant with the name of a sensor behind it that says how long you slept, such as /sensor.minutes_asleep.
