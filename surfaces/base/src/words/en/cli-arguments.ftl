cli-arguments-usage = Usage:
cli-arguments-commands = Commands:
cli-arguments-arguments = Arguments:
cli-arguments-options = Options:
cli-arguments-default = [default:
cli-arguments-variable = [env:
cli-arguments-values = [possible values:
cli-arguments-subcommands = [subcommands:
cli-arguments-value-list = Possible values:
cli-arguments-help-summary = Print help (see a summary with '-h')
cli-arguments-help-more = Print help (see more with '--help')
cli-arguments-help-of-all = Print this message or the help of the given subcommand(s)
cli-arguments-help = Print help
cli-arguments-version = Print version
cli-arguments-some-options = [OPTIONS]
cli-arguments-one-command = <COMMAND>
cli-arguments-maybe-command = [COMMAND]
cli-arguments-more-information = For more information, try '--help'.
cli-arguments-tip = tip:
cli-arguments-error = error:
cli-arguments-unknown = unexpected argument '{ $argument }' found
cli-arguments-no-command = unrecognized subcommand '{ $command }'
cli-arguments-command-missing = '{ $command }' requires a subcommand but one was not provided
cli-arguments-missing = the following required arguments were not provided:
cli-arguments-no-value = a value is required for '{ $argument }' but none was supplied
cli-arguments-wrong-value = invalid value '{ $value }' for '{ $argument }'
cli-arguments-wrong-value-because = invalid value '{ $value }' for '{ $argument }': { $why }
cli-arguments-one-value-more = unexpected value '{ $value }' for '{ $argument }' found; no more were expected
cli-arguments-twice = the argument '{ $argument }' cannot be used multiple times
cli-arguments-conflict = the argument '{ $argument }' cannot be used with '{ $other }'
cli-arguments-conflicts = the argument '{ $argument }' cannot be used with:
cli-arguments-command-conflict = the subcommand '{ $command }' cannot be used with '{ $other }'
cli-arguments-command-conflicts = the subcommand '{ $command }' cannot be used with:
cli-arguments-no-equals = equal sign is needed when assigning values to '{ $argument }'
cli-arguments-too-few = { $wanted } values required by '{ $argument }'; only { $given ->
        [0] { $given } was
        [one] { $given } was
       *[other] { $given } were
    } provided
cli-arguments-wrong-number = { $wanted } values required for '{ $argument }' but { $given ->
        [0] { $given } was
        [one] { $given } was
       *[other] { $given } were
    } provided
cli-arguments-number-empty = cannot parse integer from empty string
cli-arguments-no-number = invalid digit found in string
cli-arguments-number-too-large = number too large to fit in target type
cli-arguments-number-too-small = number too small to fit in target type
cli-arguments-no-date = input contains invalid characters
cli-arguments-shape = expected { $shape }
cli-arguments-not-in = { $value } is not in { $range }
cli-arguments-no-utf8 = invalid UTF-8 was detected in one or more arguments
cli-arguments-similar-command = a similar subcommand exists: { $name }
cli-arguments-similar-argument = a similar argument exists: { $name }
cli-arguments-similar-value = a similar value exists: { $name }
cli-arguments-similar-commands = some similar subcommands exist: { $names }
cli-arguments-similar-arguments = some similar arguments exist: { $names }
cli-arguments-similar-values = some similar values exist: { $names }
cli-arguments-as-value = to pass '{ $value }' as a value, use '{ $form }'
cli-arguments-exists = '{ $name }' exists
cli-arguments-quoted = '{ $name }'
