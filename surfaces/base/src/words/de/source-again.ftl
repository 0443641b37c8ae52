source-again-read = Noch einmal lesen
source-again-read-place = Noch einmal lesen: { $place }
source-again-with = Vom Anfang an, mit allem anderen unter „{ $reader }“. Was du hast vergessen lassen, kommt zurück, wo deine eigenen Dateien es noch haben.
