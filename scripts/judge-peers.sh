#!/usr/bin/env bash
# What two filters that many people run make of the mail by which Aura is judged: bogofilter, taught the two folders that Aura's gate is taught
# (easy-ham-1, spam-1), and SpamAssassin by its own rules alone, without the network. Prints one table: PEERS=yes make judge. Debian: bogofilter-sqlite,
# spamassassin. docs/agents/comms.md has the figures, docs/adr/0173 what follows from them.
set -euo pipefail
mail="$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The verdict of the filter that the corpus was collected with is taken off, as it is for Aura.
for folder in easy-ham-1 spam-1 easy-ham-2 hard-ham-1 spam-2; do
    mkdir "$work/$folder"
    for file in "$mail/$folder"/*.txt; do
        awk 'NR == 1 && /^From / { next }
             !body && /^\r?$/ { body = 1 }
             !body && /^[^ \t]/ { left_out = tolower($0) ~ /^x-(spam|pyzor)/ }
             body || !left_out' "$file" >"$work/$folder/$(basename "$file")"
    done
done

# Lines of folder and score, to shares: at the filter's own threshold, and where 0.12 and 0.05 of hard ham are called spam.
table() { # name, its own threshold, another one
    awk -v name="$1" -v threshold="$2" -v other="${3:-}" '
        { count[$1]++; score[$1, count[$1]] = $2 }
        function share(folder, above,   n, i) { for (i = 1; i <= count[folder]; i++) n += score[folder, i] >= above; return n / count[folder] }
        function at(wanted,   low, high, middle, i) {
            low = -1000; high = 1000
            for (i = 0; i < 80; i++) { middle = (low + high) / 2; if (share("hard-ham-1", middle) > wanted) low = middle; else high = middle }
            return high
        }
        function row(what, above) { printf "| %s, %s | %.3f | %.3f | %.3f |\n", name, what, share("spam-2", above), share("easy-ham-2", above), share("hard-ham-1", above) }
        END { row("its own threshold, " threshold, threshold); if (other != "") row("at " other, other); row("with 0.12 of hard ham", at(0.12)); row("with 0.05 of hard ham", at(0.05)) }'
}

judged=(easy-ham-2 hard-ham-1 spam-2)
echo "| Filter | spam recognised (spam-2) | ham called spam (easy-ham-2) | ham called spam (hard-ham-1) |"
echo "|---|---|---|---|"
if command -v bogofilter >/dev/null; then
    bogofilter -d "$work" -n -B "$work/easy-ham-1"
    bogofilter -d "$work" -s -B "$work/spam-1"
    for folder in "${judged[@]}"; do
        { bogofilter -d "$work" -T -B "$work/$folder" || true; } | awk -v folder="$folder" '{ print folder, $NF }'
    done | table "$(bogofilter -V | sed -n '1s/ version//p')" 0.99 0.5
else
    echo "aura: NOT BESIDE bogofilter: it is not installed" >&2
fi
if command -v spamassassin >/dev/null; then
    for folder in "${judged[@]}"; do
        perl -MMail::SpamAssassin -e '
            my $filter = Mail::SpamAssassin->new({ local_tests_only => 1, dont_copy_prefs => 1, userprefs_filename => "/dev/null", post_config_text => "use_bayes 0\n" });
            my $folder = shift;
            for (@ARGV) {
                open my $file, "<", $_ or die; local $/; my $mail = $filter->parse(<$file>); my $status = $filter->check($mail);
                printf "%s %s\n", $folder, $status->get_score; $status->finish; $mail->finish;
            }' "$folder" "$work/$folder"/*.txt
    done | table "$(spamassassin -V | sed -n '1s/ version//p')" 5
else
    echo "aura: NOT BESIDE SpamAssassin: it is not installed" >&2
fi
