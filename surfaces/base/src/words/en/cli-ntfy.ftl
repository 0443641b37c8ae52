cli-ntfy-subscribe = subscribe to this one on your phone
cli-ntfy-buttons = the buttons publish here
