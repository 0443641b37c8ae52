//! `aura schema`: Aura's schemas, and any instance held against any schema.
//!
//! What: `validate`, one verdict for two files or for each line of a stream; `list` and `show`. Why: who writes an agent
//! learns what the gate would refuse, and every fault at once. Not here: validating (`toolcall_schema::validate`).

use super::{
    args::{SchemaCommand, SchemaShowArgs, SchemaValidateArgs},
    error::CliError,
    exit::CommandExit,
    input::{self, InputFile},
    line::tell,
    out::CommandOutput,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, path::Path};
use surfaces_base::{
    language::{self, say},
    visible::visible,
};
use toolcall_schema::{
    ids::sha256_hex,
    validate::{
        self, Document, MAX_DOCUMENT_BYTES, SchemaCode, SchemaFault, SchemaFaults, SchemaValidator,
        ValidatorOptions,
    },
};

/// Runs `aura schema`.
///
/// # Errors
/// [`CliError::Input`] when a file cannot be read, [`CliError::NotThere`] when no schema has the name.
pub(crate) fn run(command: &SchemaCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        SchemaCommand::Validate(args) => validate(args, out),
        SchemaCommand::List(args) => list(args.format.json, out),
        SchemaCommand::Show(args) => show(args, out),
    }
}

fn validate(args: &SchemaValidateArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let options = ValidatorOptions {
        draft: args.draft,
        assert_format: args.assert_format,
    };
    let Some(instance) = &args.instance else {
        if args.schema == Path::new("-") {
            return stream(options, args.format.json, out);
        }
        return Err(CliError::Usage(
            language::text("cli-schema-no-instance").to_owned(),
        ));
    };
    let schema = schema_bytes(&args.schema)?;
    let instance = InputFile::open(instance)?.whole(MAX_DOCUMENT_BYTES)?;
    let mut compiled = SchemaCache::default();
    let verdict = judge(&schema, &instance, options, &mut compiled);
    say(None, &verdict, compiled.unchecked(options), args.format.json, out)?;
    Ok(exit(verdict.is_ok()))
}

/// A file, else one of ours: a file of the same name is what its owner sees.
fn schema_bytes(path: &Path) -> Result<Vec<u8>, CliError> {
    let ours = || validate::published(path.to_str()?);
    match InputFile::open(path) {
        Ok(mut input) => input.whole(MAX_DOCUMENT_BYTES),
        Err(error) => ours().map(|text| text.as_bytes().to_owned()).ok_or(error),
    }
}

fn judge(
    schema: &[u8],
    instance: &[u8],
    options: ValidatorOptions,
    compiled: &mut SchemaCache,
) -> Result<(), SchemaFaults> {
    let schema = validate::parse(schema, Document::Schema)?;
    let validator = compiled.validator(schema, options)?;
    validator.check(&validate::parse(instance, Document::Instance)?)
}

/// A verdict, and which formats nobody looked at: in a document of JSON as a list, else as a warning beside the results.
fn say(
    line: Option<u64>,
    verdict: &Result<(), SchemaFaults>,
    unchecked: Option<&BTreeSet<String>>,
    json: bool,
    out: &mut CommandOutput,
) -> Result<(), CliError> {
    if json {
        return out.json(&to_json(line, verdict, unchecked));
    }
    let place = line.map_or_else(String::new, |number| {
        format!("{} ", say!("cli-schema-line", number = number.to_string()))
    });
    for format in unchecked.into_iter().flatten() {
        let code = SchemaCode::Schema006.to_string();
        let unknown = say!("cli-schema-unknown-format", code, format = format!("{format:?}"));
        let warning = format!("{place}{unknown}");
        tell(&visible(&warning));
    }
    let told = to_text(&place, verdict);
    told.lines().try_for_each(|line| out.finding(line))
}

/// One verdict a line; a line that is no good has one too, and the next is read.
fn stream(options: ValidatorOptions, json: bool, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let mut input = InputFile::open(Path::new("-"))?;
    let mut compiled = SchemaCache::default();
    let (mut number, mut checked, mut invalid) = (0_u64, 0_u64, 0_u64);
    while let Some(line) = input.line(MAX_DOCUMENT_BYTES)? {
        number += 1;
        if input::is_blank(&line) {
            continue;
        }
        let verdict = judge_line(&line, options, &mut compiled);
        checked += 1;
        invalid += u64::from(verdict.is_err());
        say(Some(number), &verdict, compiled.unchecked(options), json, out)?;
    }
    if !json {
        out.text(&say!("cli-schema-checked", checked, invalid))?;
    }
    Ok(exit(invalid == 0))
}

/// The schema of the line before: streams mostly repeat it, and compiling takes longer than checking.
#[derive(Default)]
struct SchemaCache(Option<(Value, SchemaValidator)>);

impl SchemaCache {
    /// When it fails nothing is compiled.
    fn validator(
        &mut self,
        schema: Value,
        options: ValidatorOptions,
    ) -> Result<&SchemaValidator, SchemaFaults> {
        let (_, validator) = match self.0.take() {
            Some(last) if last.0 == schema => self.0.insert(last),
            Some(_) | None => {
                let validator = SchemaValidator::new(&schema, options)?;
                self.0.insert((schema, validator))
            }
        };
        Ok(validator)
    }

    /// `None` where formats are not asserted.
    fn unchecked(&self, options: ValidatorOptions) -> Option<&BTreeSet<String>> {
        static NOTHING: BTreeSet<String> = BTreeSet::new();
        let compiled = self.0.as_ref();
        let unchecked = compiled.map_or(&NOTHING, |(_, validator)| validator.unchecked_formats());
        options.assert_format.then_some(unchecked)
    }
}

fn judge_line(
    line: &[u8],
    options: ValidatorOptions,
    compiled: &mut SchemaCache,
) -> Result<(), SchemaFaults> {
    let parsed = validate::parse(line, Document::Line).and_then(validate::parse_line);
    let (schema, instance) = parsed.inspect_err(|_| compiled.0 = None)?;
    compiled.validator(schema, options)?.check(&instance)
}

fn exit(valid: bool) -> CommandExit {
    if valid { CommandExit::Ok } else { CommandExit::Bad }
}

fn to_json(
    line: Option<u64>,
    verdict: &Result<(), SchemaFaults>,
    unchecked: Option<&BTreeSet<String>>,
) -> Value {
    let mut document = match verdict {
        Ok(()) => json!({ "valid": true, "errors": [] }),
        Err(SchemaFaults { listed, more: 0 }) => json!({ "valid": false, "errors": listed }),
        Err(SchemaFaults { listed, more }) => {
            json!({ "valid": false, "errors": listed, "more_errors": more })
        }
    };
    if let Value::Object(members) = &mut document {
        members.extend(line.map(|line| ("line".to_owned(), line.into())));
        members.extend(unchecked.map(|formats| ("unchecked_formats".to_owned(), json!(formats))));
    }
    document
}

fn to_text(place: &str, verdict: &Result<(), SchemaFaults>) -> String {
    let Err(SchemaFaults { listed, more }) = verdict else {
        return format!("{place}{}", language::text("cli-schema-valid"));
    };
    let mut lines: Vec<String> = listed
        .iter()
        .map(|fault| format!("{place}{}", line_of(fault)))
        .collect();
    if *more > 0 {
        lines.push(format!("{place}{}", say!("cli-schema-more", count = *more)));
    }
    lines.join("\n")
}

fn line_of(fault: &SchemaFault) -> String {
    let SchemaFault {
        code,
        document,
        pointer,
        schema_pointer: _,
        keyword,
        limit,
        message,
    } = fault;
    let limit = limit
        .as_ref()
        .map_or_else(String::new, |limit| format!(" {limit}"));
    let (code, pointer) = (code.to_string(), format!("{pointer:?}"));
    let rule = format!("{keyword}{limit}");
    match document {
        Document::Schema => say!("cli-schema-invalid-schema", code, pointer, rule, message),
        Document::Instance => say!("cli-schema-invalid-instance", code, pointer, rule, message),
        Document::Line => say!("cli-schema-invalid-line", code, pointer, rule, message),
    }
}

fn list(json: bool, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let rows: Vec<[String; 3]> = validate::all_published()
        .map(|(name, text)| {
            let address = format!("https://aura.local/schemas/{name}.json");
            [name.to_owned(), sha256_hex(text.as_bytes()), address]
        })
        .collect();
    if !json {
        out.table(
            [
                language::text("cli-schema-column-name"),
                language::text("cli-schema-column-sha256"),
                language::text("cli-schema-column-address"),
            ],
            &rows,
        )?;
        return Ok(CommandExit::Ok);
    }
    for [name, sha256, address] in rows {
        out.json(&json!({ "name": name, "sha256": sha256, "address": address }))?;
    }
    Ok(CommandExit::Ok)
}

fn show(args: &SchemaShowArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let missing = || CliError::NotThere(language::text("cli-schema-not-there").to_owned());
    let text = validate::published(&args.name).ok_or_else(missing)?;
    if args.format.json {
        let bug = |_| CliError::Bug("a schema is not JSON");
        out.json(&serde_json::from_str::<Value>(text).map_err(bug)?)?;
    } else {
        out.text(text)?;
    }
    Ok(CommandExit::Ok)
}
