cli-mute-length = a mute is 1m to 1d long, such as 90m or 8h
cli-mute-key-shape = a key is 1 to 64 letters, digits or signs without a space
cli-mute-not-muted = this person is not muted
cli-mute-nobody = No chat and nobody is muted.
cli-mute-column-about = chat or person
cli-mute-column-until = muted until
