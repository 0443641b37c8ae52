first-steps-tick-all = Alle ankreuzen
first-steps-set-up = Einrichten
