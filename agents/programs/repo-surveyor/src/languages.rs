//! What a file is written in.
//!
//! What: [`language_of`], by name or first line. Why: one table. Not here: what is in the files.

/// Endings and what they stand for.
const BY_ENDING: &[(&str, &str)] = &[
    ("c", "C"),
    ("h", "C"),
    ("cc", "C++"),
    ("cpp", "C++"),
    ("hpp", "C++"),
    ("cs", "C#"),
    ("css", "CSS"),
    ("dart", "Dart"),
    ("ex", "Elixir"),
    ("exs", "Elixir"),
    ("go", "Go"),
    ("hs", "Haskell"),
    ("htm", "HTML"),
    ("html", "HTML"),
    ("java", "Java"),
    ("js", "JavaScript"),
    ("mjs", "JavaScript"),
    ("cjs", "JavaScript"),
    ("jsx", "JavaScript"),
    ("json", "JSON"),
    ("kt", "Kotlin"),
    ("lua", "Lua"),
    ("md", "Markdown"),
    ("ml", "OCaml"),
    ("php", "PHP"),
    ("pl", "Perl"),
    ("py", "Python"),
    ("pyi", "Python"),
    ("r", "R"),
    ("rb", "Ruby"),
    ("rs", "Rust"),
    ("scala", "Scala"),
    ("sh", "Shell"),
    ("bash", "Shell"),
    ("sql", "SQL"),
    ("swift", "Swift"),
    ("toml", "TOML"),
    ("ts", "TypeScript"),
    ("tsx", "TypeScript"),
    ("yaml", "YAML"),
    ("yml", "YAML"),
    ("zig", "Zig"),
];

/// Names that stand for a language without an ending.
const BY_NAME: &[(&str, &str)] = &[
    ("Dockerfile", "Dockerfile"),
    ("Makefile", "Makefile"),
    ("GNUmakefile", "Makefile"),
    ("Rakefile", "Ruby"),
    ("Gemfile", "Ruby"),
];

/// Interpreters of a first line `#!`.
const BY_INTERPRETER: &[(&str, &str)] = &[
    ("sh", "Shell"),
    ("bash", "Shell"),
    ("python", "Python"),
    ("python3", "Python"),
    ("node", "JavaScript"),
    ("perl", "Perl"),
    ("ruby", "Ruby"),
];

fn look_up(table: &[(&str, &'static str)], key: &str) -> Option<&'static str> {
    let row = table.iter().find(|(name, _)| *name == key);
    row.map(|(_, language)| *language)
}

/// What a file is written in; `first` is its first line.
pub(crate) fn language_of(path: &str, first: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_ascii_lowercase());
    look_up(BY_NAME, name)
        .or_else(|| ending.and_then(|ending| look_up(BY_ENDING, &ending)))
        .or_else(|| look_up(BY_INTERPRETER, interpreter(first)?))
}

/// The program of a first line `#!/usr/bin/env NAME` or `#!/bin/NAME`.
pub(crate) fn interpreter(first: &str) -> Option<&str> {
    let mut words = first.strip_prefix("#!")?.split_whitespace();
    let program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        words.find(|word| !word.starts_with('-'))
    } else {
        Some(program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_name_its_ending_or_its_first_line() {
        for (path, first, language) in [
            ("a/b.RS", "", Some("Rust")),
            ("Makefile", "", Some("Makefile")),
            ("run", "#!/usr/bin/env -S python3 -u", Some("Python")),
            ("run", "#!/bin/sh", Some("Shell")),
            ("run", "echo", None),
            ("a.unknown", "", None),
            (".bashrc", "", None),
        ] {
            assert_eq!(language_of(path, first), language, "{path} {first}");
        }
    }
}
