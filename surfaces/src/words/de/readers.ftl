readers-title = Wer was gelesen hat
readers-says = Seit ich laufe. Jeder kann nur öffnen, was du ihm erlaubt hast, und sonst nichts.
readers-none = Seit ich laufe, wurde nichts gelesen.
readers-comms = Mails und Chats
readers-calendar = Kalender
readers-finance = Geld
readers-wellness = Befinden
readers-orchestrator = Entscheidungen
