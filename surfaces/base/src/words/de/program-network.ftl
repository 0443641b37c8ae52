program-network-connection = Die Verbindung eines Programms
program-network-connected = Eines deiner Programme wurde mit einem Server verbunden, den du genannt hast.
