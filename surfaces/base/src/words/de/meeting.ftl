meeting-meeting = Ein Termin
meeting-this-event = diesen Termin
meeting-it-starts = Beginn
meeting-meeting-people = Wer da sein wird
meeting-meeting-with = Mit
meeting-meeting-alone = Sonst ist niemand eingeladen.
meeting-meeting-nothing-waits = Keine ihrer Nachrichten wartet auf dich.
meeting-meeting-waits = Wartet auf deine Antwort
meeting-meeting-where = Wo
meeting-meeting-no-place = Der Termin nennt keinen Ort.
meeting-meeting-names-gone = Er kam zu mir, bevor ich neu gestartet wurde. Darum kenne ich die Namen nicht mehr.
meeting-event-gone = Einen solchen Termin kenne ich jetzt nicht
meeting-event-gone-says = Er wurde verlegt oder abgesagt, er liegt mehr als hundert Tage entfernt, du hast ihn vergessen lassen, oder ich bin noch mit deinem Kalender beschäftigt. Sieh gleich noch einmal nach.
meeting-cancelled-title = Er wurde abgesagt
meeting-cancelled-says = So steht es in deinem Kalender. Darum sage ich dir nicht, wann du losmusst, und im Überblick kommt es nicht vor.
meeting-cancelled-day = Was an dem Tag ansteht
meeting-meeting-switch = Das zehn Minuten vor jedem Treffen zeigen
meeting-meeting-switched-on = Ich zeige das zehn Minuten vor jedem Treffen
meeting-meeting-at = Ein Treffen um { $at }
meeting-meeting-others-with = Mit { $count }.
meeting-meeting-more = und noch { $more }
meeting-from-to = { $from } bis { $to }
meeting-meeting-way-to-get-there = Der Weg dauert { $travel }. Geh bis { $at } los.
meeting-meeting-way-to-get-there-2 = Der Weg dauert { $travel }.
meeting-count-others = { $count ->
        [one] einer anderen Person
       *[other] { $count } anderen
    }
