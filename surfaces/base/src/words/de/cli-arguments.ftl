cli-arguments-usage = Aufruf:
cli-arguments-commands = Befehle:
cli-arguments-arguments = Argumente:
cli-arguments-options = Optionen:
cli-arguments-default = [Vorgabe:
cli-arguments-variable = [Umgebung:
cli-arguments-values = [mögliche Werte:
cli-arguments-subcommands = [Befehle:
cli-arguments-value-list = Mögliche Werte:
cli-arguments-help-summary = Diese Hilfe zeigen (kürzer mit „-h“)
cli-arguments-help-more = Diese Hilfe zeigen (mehr mit „--help“)
cli-arguments-help-of-all = Diese Hilfe oder die eines Befehls zeigen
cli-arguments-help = Diese Hilfe zeigen
cli-arguments-version = Die Version zeigen
cli-arguments-some-options = [OPTIONEN]
cli-arguments-one-command = <BEFEHL>
cli-arguments-maybe-command = [BEFEHL]
cli-arguments-more-information = Mehr dazu mit „--help“.
cli-arguments-tip = Tipp:
cli-arguments-error = Fehler:
cli-arguments-unknown = unbekanntes Argument „{ $argument }“
cli-arguments-no-command = unbekannter Befehl „{ $command }“
cli-arguments-command-missing = zu „{ $command }“ gehört noch ein Befehl
cli-arguments-missing = diese Argumente fehlen:
cli-arguments-no-value = „{ $argument }“ braucht einen Wert
cli-arguments-wrong-value = „{ $value }“ passt nicht zu „{ $argument }“
cli-arguments-wrong-value-because = „{ $value }“ passt nicht zu „{ $argument }“: { $why }
cli-arguments-one-value-more = „{ $value }“ ist für „{ $argument }“ ein Wert zu viel
cli-arguments-twice = das Argument „{ $argument }“ ist nur einmal erlaubt
cli-arguments-conflict = das Argument „{ $argument }“ verträgt sich nicht mit „{ $other }“
cli-arguments-conflicts = das Argument „{ $argument }“ verträgt sich nicht mit:
cli-arguments-command-conflict = der Befehl „{ $command }“ verträgt sich nicht mit „{ $other }“
cli-arguments-command-conflicts = der Befehl „{ $command }“ verträgt sich nicht mit:
cli-arguments-no-equals = zwischen „{ $argument }“ und dem Wert fehlt ein Gleichheitszeichen
cli-arguments-too-few = „{ $argument }“ braucht { $wanted } Werte; da { $given ->
        [one] ist { $given }
       *[other] sind { $given }
    }
cli-arguments-wrong-number = „{ $argument }“ braucht genau { $wanted } Werte; da { $given ->
        [one] ist { $given }
       *[other] sind { $given }
    }
cli-arguments-number-empty = eine Zahl fehlt
cli-arguments-no-number = keine Zahl
cli-arguments-number-too-large = die Zahl ist zu groß
cli-arguments-number-too-small = die Zahl ist zu klein
cli-arguments-no-date = so schreibt sich hier kein Tag und keine Zeit, oder es gibt sie nicht
cli-arguments-shape = erwartet wird { $shape }
cli-arguments-not-in = { $value } liegt nicht in { $range }
cli-arguments-no-utf8 = in den Argumenten steht etwas, das kein UTF-8 ist
cli-arguments-similar-command = ein ähnlicher Befehl ist { $name }
cli-arguments-similar-argument = ein ähnliches Argument ist { $name }
cli-arguments-similar-value = ein ähnlicher Wert ist { $name }
cli-arguments-similar-commands = ähnliche Befehle sind { $names }
cli-arguments-similar-arguments = ähnliche Argumente sind { $names }
cli-arguments-similar-values = ähnliche Werte sind { $names }
cli-arguments-as-value = soll „{ $value }“ ein Wert sein, schreibe „{ $form }“
cli-arguments-exists = „{ $name }“ gibt es
cli-arguments-quoted = „{ $name }“
