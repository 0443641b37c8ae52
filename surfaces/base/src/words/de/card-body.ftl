card-body-body-it-did-not = Es hat nicht geklappt
card-body-question-mute-for-30 = { $label } 30 Minuten stumm schalten?
card-body-question-draft-a-reply = Antwort an { $label } entwerfen?
card-body-question-draft-a-decline = Absage für „{ $label }“ entwerfen?
card-body-question-leave-for = Aufbruch: { $label }
card-body-reading-line = { $line } (gewöhnlich { $range })
card-body-result-this-chat = Dieser Chat
card-body-result-is-quiet-until = { $who } ist bis { $until } stumm
card-body-result-a-digest-of = Danach kommt eine Übersicht.
card-body-result-quiet-until = Stumm bis { $until }
card-body-result-breathing = Atempause
card-body-result-nap = Nickerchen
card-body-result-break = Pause
card-body-result-sorted = { $count ->
        [one] { $count } neue Zahlung einsortiert
       *[other] { $count } neue Zahlungen einsortiert
    }
card-body-result-the-draft-is = Der Entwurf liegt in deinem Postausgang
card-body-result-nothing-was-sent = { $count } Zeichen, { $tone }. Es wurde nichts gesendet.
card-body-result-a-draft-is = Ein Entwurf liegt im Postausgang
card-body-result-the-decline-is = Die Absage liegt in deinem Postausgang
card-body-result-nothing-was-sent-2 = Es wurde nichts gesendet.
card-body-result-a-decline-is = Eine Absage liegt im Postausgang
card-body-companion-leave-by-for = Dann los zu: { $label }
card-body-companion-leave-by = Dann musst du los
card-body-started-until = { $what } bis { $clock }
card-body-started-aura-tells-you = Ich sage dir Bescheid, wenn es vorbei ist.
card-body-digest-body-nothing-wants-an = Keine braucht deine Antwort
card-body-digest-body-want-an-answer = { $n ->
        [one] { $n } braucht deine Antwort
       *[other] { $n } brauchen deine Antwort
    }
card-body-digest-body-can-wait = { $muted_count ->
        [one] { $wants }, { $muted_count } kann warten
       *[other] { $wants }, { $muted_count } können warten
    }
card-body-digest-body-read = { $count ->
        [one] { $count } Nachricht gelesen.
       *[other] { $count } Nachrichten gelesen.
    }
card-body-leave-body-your-next-event = dein nächster Termin
card-body-leave-body-leave-for = Aufbruch: { $what }
card-body-leave-body-it-starts-at = Beginn ist um { $clock }.
card-body-leave-body-leave-by = Um { $leave_by } musst du los
card-body-leave-body-leave-by-2 = Dann musst du los
card-body-way-kept-free = , dazu { $minutes } Puffer
card-body-way-to-get-there = { $minutes } Weg{ $kept }.
card-body-brief-lines-none-wants-an = Niemand wartet auf deine Antwort.
card-body-brief-lines-want-an-answer = { $n ->
        [one] Eine Nachricht wartet auf deine Antwort.
       *[other] { $n } Nachrichten warten auf deine Antwort.
    }
card-body-brief-lines-pairs-overlap = { $n ->
        [one] Zwei davon überschneiden sich.
       *[other] { $n } Paare davon überschneiden sich.
    }
card-body-brief-lines-nothing-in-the = Heute steht nichts im Kalender.
card-body-brief-lines-at = Als Nächstes: { $value } um { $clock }.
card-body-brief-lines-not-read = { $agent }: noch nicht gelesen, als ich dies entschied.
card-body-anomaly-body-a-usual-day = An einem gewöhnlichen Tag sind es { $money }.
card-body-anomaly-body-that-is-z = Das ist { $severity }.
card-body-anomaly-body-about-could-be = Etwa { $money } ließen sich sparen.
card-body-anomaly-body-more-than-usual = Mehr als gewöhnlich für { $category }
card-body-anomaly-body-spent-today = heute ausgegeben
card-body-forecast-body-at-this-pace = Bei diesem Tempo reicht das Geld bis { $date }.
card-body-forecast-body-the-months-end = Wie der Monat endet, kann ich noch nicht sagen.
card-body-forecast-body-confidence = Ich bin zu { $confidence } % sicher.
card-body-forecast-body-expected-at-the = voraussichtlich am Monatsende
card-body-brief-lines-the-next = Der nächste Termin beginnt um { $clock }.
card-body-companion-figure = { $value } { $caption }.
