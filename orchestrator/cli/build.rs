//! Puts the pages of `docs/errors` into the program, for `aura help CODE`.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    io::{self, Write as _},
    path::Path,
};

fn main() -> Result<(), Box<dyn Error>> {
    let pages = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../docs/errors");
    let mut codes = Vec::new();
    for entry in fs::read_dir(&pages)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        codes.extend(name.strip_suffix(".md").map(str::to_owned));
    }
    codes.sort();
    let mut table = "&[\n".to_owned();
    for code in codes {
        writeln!(
            table,
            "(\"{code}\", include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/../../docs/errors/{code}.md\"))),"
        )?;
    }
    table.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("error_pages.rs"), table)?;
    writeln!(io::stdout(), "cargo::rerun-if-changed={}", pages.display())?;
    Ok(())
}
