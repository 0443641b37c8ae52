at-work-at-work = Was ich gerade tue
at-work-what-is-read-i-am-still = Ich lese noch deine { $listed }.
at-work-what-is-read-i-have-read = Ich habe alles gelesen, was ich darf.
at-work-read-things-messages = Nachrichten
at-work-read-things-events = Termine
at-work-read-things-payments = Zahlungen
at-work-read-things-measurements = Messwerte
at-work-read-things-decisions = Entscheidungen
at-work-what-has-left-a-machine-that = einen nicht genannten Rechner
at-work-what-has-left-to = { $count ->
        [one] { $count } Benachrichtigung an { $host }
       *[other] { $count } Benachrichtigungen an { $host }
    }
at-work-what-has-left-nothing-has-left = Heute hat nichts diesen Rechner verlassen.
at-work-what-has-left-nothing-has-left-2 = Heute hat nichts diesen Rechner verlassen, aber ich frage bei { $host } nach deinen Antworten.
at-work-what-has-left-left-this-computer = Heute von diesem Rechner gesendet: { $listed }.
at-work-what-has-left-left-this-computer-2 = Heute von diesem Rechner gesendet: { $listed }. Ich frage bei { $host } nach deinen Antworten.
at-work-looks-again = Ich sehe { $at } wieder nach, und früher, wenn etwas hereinkommt.
at-work-listed = { $value } und { $last }
