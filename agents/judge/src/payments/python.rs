//! Python's literals, as far as the packages need them.
//!
//! What: [`as_json`], a list of dictionaries as JSON; [`strings`], the string literals of a file. Why: the packages' messages stand in Python's files, and
//! no code of a package is run. Not here: what the literals mean (`packages`).

/// The literal behind the first `[` of a file, as JSON: `None`, `True` and `False` by JSON's names, no comma before a closing bracket. Strings have to
/// be in double quotes.
pub(super) fn as_json(text: &str) -> String {
    let mut out = String::new();
    let (mut quoted, mut escaped) = (false, false);
    let start = text.find('[').unwrap_or(text.len());
    for letter in text.get(start..).unwrap_or_default().chars() {
        if quoted {
            quoted = escaped || letter != '"';
            escaped = !escaped && letter == '\\';
        } else {
            quoted = letter == '"';
            if matches!(letter, ']' | '}') {
                out.truncate(
                    out.trim_end_matches(|c: char| c == ',' || c.is_whitespace())
                        .len(),
                );
            }
        }
        out.push(letter);
        if !quoted && letter.is_alphabetic() {
            for (name, json) in [("None", "null"), ("True", "true"), ("False", "false")] {
                if out.ends_with(name) {
                    out.truncate(out.len() - name.len());
                    out.push_str(json);
                }
            }
        }
    }
    out
}

/// The string literals of a file, in their order; those with a placeholder or over several lines are left out.
pub(super) fn strings(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        let mut letters = line.chars();
        while let Some(letter) = letters.next() {
            if !matches!(letter, '"' | '\'') {
                continue;
            }
            let mut literal = String::new();
            let mut closed = false;
            while let Some(next) = letters.next() {
                match next {
                    '\\' => literal.extend(letters.next().map(|c| if c == 'n' { '\n' } else { c })),
                    next if next == letter => {
                        closed = true;
                        break;
                    }
                    next => literal.push(next),
                }
            }
            if closed && !literal.contains('{') {
                out.push(literal);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_dictionaries_is_json() {
        let text =
            "data = [\n  {\n    \"a\": \"None, ]\\\"\",\n    \"b\": None,\n    \"c\": True,\n  },\n]\n";
        assert_eq!(
            as_json(text).split_whitespace().collect::<String>(),
            "[{\"a\":\"None,]\\\"\",\"b\":null,\"c\":true}]"
        );
        assert_eq!(as_json("no list"), "");
    }

    #[test]
    fn literals_are_found_line_by_line() {
        let text = "# it's \"no\"\nx = [\"a 'b'\", 'c\\'d']\ny = f\"{z}\"\nz = \"open\n";
        assert_eq!(strings(text), ["a 'b'", "c'd"]);
    }
}
