voice-push-title = Aura
