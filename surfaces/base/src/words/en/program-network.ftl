program-network-connection = The connection of a program
program-network-connected = One of your programs was connected to a server that you named.
