readers-title = Who read what
readers-says = Today, since I was started. Each of them can open what you allowed for it and nothing else.
readers-none = Nothing was read today since I was started.
readers-comms = Mail and chats
readers-calendar = Calendar
readers-finance = Money
readers-wellness = Body
readers-orchestrator = Decisions
