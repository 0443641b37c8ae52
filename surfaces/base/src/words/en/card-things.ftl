card-things-deal = Deal with it
card-things-move = What can move
card-things-mute-hides = Until then I speak of nothing that is written there. A digest comes afterwards.
card-things-digest-of = { $chat }: { $says }
