answers-answer-these = Hierauf antworten
answers-answer-these-says = Wer in den letzten { $days } Tagen geschrieben hat und auf eine Antwort wartet. Zuerst die, für die ein Entwurf von dir bereitliegt, dann wer am längsten wartet.
answers-buttons = Was die Knöpfe tun
answers-buttons-say = „Erledigt“: Du hast anderswo geantwortet. „Morgen“: Ich frage um sechs Uhr früh wieder. „Nicht für mich“: weg von der Liste, und ich biete solche Nachrichten etwas seltener an. „Entwerfen“: Ich schreibe hier eine, die du ändern kannst; gesendet wird nichts.
answers-who-waits = Wer auf dich wartet
answers-nobody-of-that-name = Niemand mit diesem Namen wartet.
answers-more-behind = { $more ->
        [one] { $more } weitere wartet.
       *[other] { $more } weitere warten.
    }
answers-you-wait-for = Du wartest auf
answers-you-wait-for-says = Wen du vor mindestens { $first } Tagen per Mail etwas gefragt hast und wer nicht geantwortet hat. Nach { $last } Tagen führe ich es nicht mehr auf.
answers-you-wait-for-nobody = Zurzeit auf niemanden. Wen du per Mail etwas fragst, steht hier, sobald { $first } Tage ohne Antwort vergangen sind, bis es { $last } sind.
answers-answered-elsewhere = Erledigt
answers-not-for-me = Nicht für mich
answers-draft-answer = Entwerfen
answers-your-draft = Dein Entwurf
answers-save-draft = Speichern
answers-copy-draft = Kopieren
answers-discard-it = Verwerfen
answers-open-in = Öffnen in
answers-mail-program = Mail
answers-calendar-program = Kalender
answers-open-in-mail = Im Mailprogramm öffnen
answers-open-in-calendar = Im Kalenderprogramm öffnen
answers-open-mail = Mail öffnen
answers-mail-gone = Ich finde diese Mail jetzt nicht
answers-mail-gone-says = Sie wurde verschoben oder gelöscht, seit ich sie gelesen habe, sie ist älter als { $days } Tage, oder ich bin noch mit deinen Nachrichten beschäftigt. Dein Mailprogramm findet sie vielleicht noch über den Absender.
answers-mail-moved = Diese Mail liegt nicht mehr da, wo ich sie gelesen habe
answers-mail-moved-here = Die Mail liegt nicht mehr da, wo ich sie gelesen habe.
answers-mail-moved-says = Sie wurde seitdem verschoben oder gelöscht, oder ihr Server ist jetzt nicht erreichbar. Wer sie geschrieben hat, wartet unter Chats, bis du sagst, dass es erledigt ist. Dein Mailprogramm findet sie vielleicht noch über den Absender.
answers-too-long-for-mail = Dieser Entwurf ist zu lang für einen Link: Kopiere ihn und füge ihn in deinem Mailprogramm ein.
answers-promised = Entwurf: { $at }. Gesendet habe ich nichts.
answers-reply-subject = Nachricht vom { $day }
