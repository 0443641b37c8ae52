readers-title = Wer was gelesen hat
readers-says = Heute, seit ich laufe. Jeder kann nur öffnen, was du ihm erlaubt hast, und sonst nichts.
readers-none = Heute wurde nichts gelesen, seit ich laufe.
readers-comms = Mails und Chats
readers-calendar = Kalender
readers-finance = Geld
readers-wellness = Befinden
readers-orchestrator = Entscheidungen
