cli-runs-nobody = niemand führt den Lauf aus, und der Ordner ist in Gebrauch: versuche es noch einmal
