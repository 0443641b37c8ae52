source-again-read = Noch einmal lesen
source-again-read-place = { $place } noch einmal lesen
source-again-with = Vom Anfang an, mit allem anderen unter „{ $reader }“. Was du vergessen ließest, kommt zurück, wo deine eigenen Dateien es noch haben.
