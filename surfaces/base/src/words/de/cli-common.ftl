cli-common-waiting-for-another = warte auf einen anderen Prozess, der am Datenordner arbeitet
cli-common-waiting-for-process = warte auf den Prozess { $pid }, der am Datenordner arbeitet
