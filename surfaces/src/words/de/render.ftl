render-why-now = { $trigger } ({ $clock }).
render-next-possible-it-could-speak = Wann ich mich melden kann: { $once }.
render-next-possible-it-could-speak-2 = Ab { $clock_on } kann ich mich wieder melden, { $once }.
render-about-one-chat = Chat
render-about-one-message = Nachricht
render-about-one-event = Termin
render-about-one-payment = Zahlung
render-about-one-shop = Geschäft
