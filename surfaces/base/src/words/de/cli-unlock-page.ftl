cli-unlock-page-nobody = niemand hat es innerhalb von zehn Minuten auf der Seite entsperrt: starte Aura noch einmal
