muting-muted-person = Muted, I do not speak of what { $name } writes, in whichever chat or mail. Your brief counts it all the same.
muting-nothing-of = I will not speak of anything that { $name } writes any more. Your brief counts it all the same.
muting-this-sender = this sender
