render-why-now = { $trigger } at { $clock }.
render-next-possible-it-could-speak = I could speak { $once }.
render-next-possible-it-could-speak-2 = I could speak again at { $clock_on }, { $once }.
render-about-one-chat = one chat
render-about-one-message = one message
render-about-one-event = one event
render-about-one-payment = one payment
render-about-one-shop = one shop
