cli-ntfy-subscribe = diesen auf dem Telefon abonnieren
cli-ntfy-buttons = hierhin schreiben die Knöpfe
