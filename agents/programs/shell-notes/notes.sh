# Counts the lines of a spec. An agent needs no library: it reads one document and prints one.
input=$(tr -d '\n')
member() { printf '%s' "$input" | sed -n "s/.*\"$1\" *: *\"\([^\"]*\)\".*/\1/p"; }
spec=$(member spec)
if [ "$(member action)" = count ] && [ -r "$spec" ]; then
    lines=$(wc -l <"$spec")
    echo "{\"success\":true,\"summary\":\"The spec has $lines lines.\",\"artifacts\":[],\"recommendation\":\"proceed\"}"
else
    echo '{"success":false,"summary":"I count the lines of a spec that I can read.","artifacts":[],"recommendation":"escalate"}'
fi
