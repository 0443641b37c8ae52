cli-catalogue-column-tool = tool
cli-catalogue-column-confirm = confirm
cli-catalogue-column-class = class
cli-catalogue-column-surface = surface
cli-catalogue-column-effects = effects
cli-catalogue-column-decision = decision
cli-catalogue-column-does = what it does
cli-catalogue-column-private = private
cli-catalogue-column-column = column
cli-catalogue-column-value = is
cli-catalogue-column-was = was
cli-catalogue-column-is = is
cli-catalogue-column-to-do = to do
cli-catalogue-tools = { $count ->
        [one] { $count } tool
       *[other] { $count } tools
    }, catalogue { $hash }
cli-catalogue-one-in-full = `aura catalogue TOOL` shows one in full; its decision is a page in docs/adr.
cli-catalogue-arguments = arguments
cli-catalogue-result = result
cli-catalogue-admitted = admitted
cli-catalogue-refused = refused
cli-catalogue-code-at = { $code } at { $pointer }
cli-catalogue-nothing-changed = Nothing changed.
cli-catalogue-row-new = new
cli-catalogue-row-there = there
cli-catalogue-row-gone = gone
cli-catalogue-row-accept = accept
cli-catalogue-nothing-to-accept = Nothing has to be accepted.
cli-catalogue-to-accept = To be accepted: { $tools }
cli-catalogue-accept-sure = Type yes to accept this:
cli-catalogue-nothing-accepted = Nothing was accepted.
cli-catalogue-recorded = Recorded for { $folder }: catalogue { $hash }
