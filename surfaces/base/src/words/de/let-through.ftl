let-through-let-through = Immer durchlassen
let-through-let-no-longer = Zurücknehmen
let-through-let-through-not-read = Ich bin noch mit deinen Nachrichten beschäftigt, darum kann ich nicht sagen, wen du immer durchlässt. Ich sehe gleich wieder nach.
let-through-let-through-line = Das lässt du immer durch.
let-through-let-through-beside = du lässt es immer durch
let-through-let-through-by-rule = Du lässt es immer durch, darum spielt sein Wert keine Rolle.
let-through-let-through-2 = Immer durchlassen: { $name }
let-through-let-through-effect-i-tell-you = Ich melde dir { $message }, die auf Antwort wartet, auch wenn ich sonst dazu schweigen würde. Es bleibt bei insgesamt höchstens { $count ->
        [one] { $count } Karte
       *[other] { $count } Karten
    } am Tag, und nie in Ruhezeiten, in einer Pause oder gegen eine Stummschaltung oder eine andere Regel von dir.
let-through-is-let-through = Du lässt { $name } immer durch.
let-through-let-through-now = Von nun an lasse ich { $name } durch.
let-through-was-let-through = Ich habe { $name } durchgelassen.
let-through-let-through-no-longer = Ich lasse { $name } nicht mehr immer durch.
let-through-message-from = eine Nachricht von { $name }
let-through-message-from-this-sender = eine Nachricht von diesem Absender
let-through-message-in = eine Nachricht in { $name }
let-through-message-in-this-chat = eine Nachricht in diesem Chat
