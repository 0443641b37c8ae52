source-again-read = Noch einmal lesen
source-again-read-place = Noch einmal lesen: { $place }
source-again-with = Vom Anfang an, mit allem anderen unter „{ $reader }“. Was du vergessen ließest, kommt zurück, wo deine eigenen Dateien es noch haben.
