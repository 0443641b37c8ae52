render-why-now = Um { $clock } { $trigger }.
render-next-possible-it-could-speak = Ich könnte mich wieder melden, { $once }.
render-next-possible-it-could-speak-2 = Ab { $clock_on } könnte ich mich wieder melden, { $once }.
render-about-one-chat = Chat
render-about-one-message = Nachricht
render-about-one-event = Termin
render-about-one-payment = Zahlung
render-about-one-shop = Geschäft
