cli-help-mute = Welche Chats stumm sind
