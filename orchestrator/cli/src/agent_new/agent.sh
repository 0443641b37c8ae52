# NAME: counts the words of a text. An agent needs no library: it reads one document and prints one.
# Change what it does; `aura agent check agents.d/NAME.toml` says whether it still keeps to the protocol.
input=$(tr -d '\n')
member() { printf '%s' "$input" | sed -n "s/.*\"$1\" *: *\"\([^\"]*\)\".*/\1/p"; }
text=$(member text)
if [ "$(member action)" = count ] && [ -r "$text" ]; then
    words=$(wc -w <"$text")
    artifact="{\"path\":\"NAME.md\",\"operation\":\"create\",\"content\":\"# Counted\\n\\n$words words.\\n\"}"
    [ ! -e "$(dirname "$text")/NAME.md" ] || artifact=$(printf '%s' "$artifact" | sed 's/"create"/"update"/')
    printf '%s\n' "{\"success\":true,\"summary\":\"The text has $words words.\",\"artifacts\":[$artifact],\"recommendation\":\"proceed\"}"
else
    echo '{"success":false,"summary":"I count the words of a text that I can read.","artifacts":[],"recommendation":"escalate"}'
fi
