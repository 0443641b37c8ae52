//! `aura memory audit`: who did what with what is kept.
//!
//! What: the records, the heads to copy elsewhere, the check of the log and proofs to take away. Why: the owner can tell by
//! their own copy of a head that nothing was taken back, and show somebody one record without the others. Not here: the log
//! (`aura_memory::audit`).

use super::bar::bar;
use crate::{
    args::{DataDir, FormatArgs},
    error::CliError,
    exit::CommandExit,
    input::{InputFile, is_blank},
    line::in_line,
    names,
    out::CommandOutput,
    records::{StoreAccess, local, zone},
    service::unexpected,
};
use aura_memory::{
    Store, StoreOptions, StoreWrite, Vault,
    audit::{
        AuditEntry, AuditFault, AuditFilter, AuditKeys, AuditSubject, HexBytes, InclusionProof, Kind,
        NoProof, Op, ProofError, SignedTreeHead, TargetId, pending,
    },
};
use aura_platform::clock::Clock;
use aura_runtime::{
    control::{self, ControlReply, ControlRequest},
    reads,
};
use chrono_tz::Tz;
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::{Path, PathBuf};
use surfaces_base::language::{self, say, text};
use toolcall_schema::Timestamp;

/// `aura memory audit`
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum AuditCommand {
    /// The newest records
    List(AuditListArgs),
    /// List the signed heads; keep a copy elsewhere to detect truncation or rewriting
    Heads(HeadsArgs),
    /// Check every record and head; exit code 1 with the first bad record
    Verify(VerifyArgs),
    /// Print the proof that a record is in the log that the newest head stands for
    Prove(ProveArgs),
    /// Check a proof, without the store
    Check(AuditCheckArgs),
}

/// `aura memory audit list`
#[derive(Debug, Clone, Args)]
pub(crate) struct AuditListArgs {
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
    /// Only what was done so: read, write, delete, purge, export, import, backup, restore, `key_change`, label, recovered
    #[arg(long, value_parser = op)]
    op: Option<Op>,
    /// Only about this kind: trace, traces, node, graph, person, span, rule, pause, settings, ledger, audit, key, memory
    #[arg(long, value_parser = kind)]
    kind: Option<Kind>,
    /// Only about this one
    #[arg(long, value_parser = target)]
    id: Option<TargetId>,
    /// Only from this time on (RFC 3339)
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse)]
    from: Option<Timestamp>,
    /// Only before this time (RFC 3339)
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse)]
    before: Option<Timestamp>,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

fn op(text: &str) -> Result<Op, &'static str> {
    Op::parse(text).ok_or_else(|| language::text("cli-memory-audit-no-such-op"))
}

fn target(text: &str) -> Result<TargetId, &'static str> {
    TargetId::parse(text).map_err(|_| language::text("cli-memory-audit-id-shape"))
}

fn public_key(text: &str) -> Result<HexBytes<32>, &'static str> {
    text.parse()
        .map_err(|_| language::text("cli-memory-audit-key-shape"))
}

fn kind(text: &str) -> Result<Kind, &'static str> {
    Kind::parse(text).ok_or_else(|| language::text("cli-memory-audit-no-such-kind"))
}

/// `aura memory audit heads`
#[derive(Debug, Clone, Args)]
pub(crate) struct HeadsArgs {
    /// Sign one for all there is now, first
    #[arg(long)]
    now: bool,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura memory audit verify`
#[derive(Debug, Clone, Args)]
pub(crate) struct VerifyArgs {
    /// Your copy of the heads, as `aura memory audit heads --json` printed them; - for the standard input
    #[arg(long, value_name = "FILE")]
    heads: Option<PathBuf>,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura memory audit prove`
#[derive(Debug, Clone, Args)]
pub(crate) struct ProveArgs {
    /// The record's number
    #[arg(value_name = "SEQ")]
    seq: u64,
    /// With what it says: who gets the proof can read it
    #[arg(long)]
    reveal: bool,
    #[command(flatten)]
    data: DataDir,
}

/// `aura memory audit check`
#[derive(Debug, Clone, Args)]
pub(crate) struct AuditCheckArgs {
    /// The proof; - for the standard input
    #[arg(value_name = "PROOF")]
    proof: PathBuf,
    /// The installation whose proof it has to be: the key that `aura memory audit heads` prints
    #[arg(long, value_name = "HEX", value_parser = public_key)]
    public_key: Option<HexBytes<32>>,
    #[command(flatten)]
    format: FormatArgs,
}

/// More is no proof and no head.
const DOCUMENT_BYTES_MAX: usize = 64 * 1024;

/// Runs `aura memory audit …`.
///
/// # Errors
/// [`CliError`] when the store cannot be read or written, or a file that is named is not what it has to be.
pub(super) fn run(command: &AuditCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        AuditCommand::List(args) => list(args, out),
        AuditCommand::Heads(args) => heads(args, out),
        AuditCommand::Verify(args) => verify(args, out),
        AuditCommand::Prove(args) => prove(args, out),
        AuditCommand::Check(args) => check(args, out),
    }
}

fn list(args: &AuditListArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let vault = args.data.vault()?;
    let records = StoreAccess::open_to_show(&vault)?;
    records.shows(AuditSubject::all_of(Kind::Audit))?;
    let filter = AuditFilter {
        op: args.op,
        kind: args.kind,
        id: args.id.clone(),
        from_ms: args.from.map(Timestamp::ms),
        before_ms: args.before.map(Timestamp::ms),
        before: None,
    };
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let mut waiting = pending::load_pending(&vault)?;
    waiting.retain(|entry| filter.matches(entry));
    waiting.reverse();
    waiting.truncate(limit);
    let mut found = records.reader.audit(&filter, args.limit)?;
    found.truncate(limit - waiting.len());
    if args.format.json {
        for AuditEntry { at_ms, op, meaning } in &waiting {
            let revealed = json!({ "meaning": meaning });
            out.json(&json!({ "at_ms": at_ms, "op": op, "revealed": revealed, "waiting": true }))?;
        }
        for record in &found {
            out.json(record)?;
        }
    } else if found.is_empty() && waiting.is_empty() {
        out.text(text("cli-memory-audit-nothing"))?;
    } else {
        let zone = records.newest()?.as_ref().map_or(Tz::UTC, zone);
        let waiting = waiting.iter().map(|AuditEntry { at_ms, op, meaning }| {
            cells(
                text("cli-memory-audit-waiting").to_owned(),
                *at_ms,
                *op,
                Some(meaning),
                zone,
            )
        });
        let kept = found.iter().map(|record| {
            let meaning = record.revealed.as_ref().map(|revealed| &revealed.meaning);
            cells(record.seq.to_string(), record.at_ms, record.op, meaning, zone)
        });
        let cells: Vec<_> = waiting.chain(kept).collect();
        out.table(
            [
                text("cli-memory-audit-column-record"),
                text("cli-memory-audit-column-time"),
                text("cli-memory-audit-column-done"),
                text("cli-memory-audit-column-to"),
                text("cli-memory-audit-column-id"),
                text("cli-memory-audit-column-rows"),
            ],
            &cells,
        )?;
    }
    Ok(CommandExit::Ok)
}

fn cells(number: String, at_ms: i64, op: Op, meaning: Option<&AuditSubject>, zone: Tz) -> [String; 6] {
    let dash = || "-".to_owned();
    [
        number,
        local(Timestamp::from_ms(at_ms), zone),
        names::operation(op).to_owned(),
        meaning.map_or_else(
            || text("cli-memory-audit-erased").to_owned(),
            |meaning| names::audited(meaning.kind).to_owned(),
        ),
        meaning
            .and_then(|meaning| meaning.id.as_ref())
            .map_or_else(dash, |id| id.as_str().to_owned()),
        meaning
            .and_then(|meaning| meaning.count)
            .map_or_else(dash, |count| count.to_string()),
    ]
}

fn heads(args: &HeadsArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let vault = args.data.vault()?;
    let records = StoreAccess::open(&vault)?;
    if args.now {
        in_line(|| sign_now(&vault, &records))?;
    }
    let keys = AuditKeys::derive(vault.seed());
    let heads = records.reader.heads(&keys)?;
    if args.format.json {
        for head in &heads {
            out.json(head)?;
        }
        return Ok(CommandExit::Ok);
    }
    out.text(&say!("cli-memory-audit-key", key = keys.public_key().to_string()))?;
    if heads.is_empty() {
        out.text(text("cli-memory-audit-no-head"))?;
    } else {
        let cells: Vec<_> = heads
            .iter()
            .map(|head| [head.day.to_string(), head.size.to_string(), head.root.to_string()])
            .collect();
        out.table(
            [
                text("cli-memory-audit-column-day"),
                text("cli-memory-audit-column-records"),
                text("cli-memory-audit-column-root"),
            ],
            &cells,
        )?;
        out.text(text("cli-memory-audit-copy-heads"))?;
    }
    Ok(CommandExit::Ok)
}

/// By the service that runs on the folder, or under the folder's lock.
fn sign_now(vault: &Vault, records: &StoreAccess) -> Result<(), CliError> {
    match control::ask(vault.dir(), &ControlRequest::Head)? {
        Some(ControlReply::Recorded) => return Ok(()),
        Some(other) => return Err(unexpected(other)),
        None => {}
    }
    let zone = records.newest()?.as_ref().map_or(Tz::UTC, zone);
    let day = Clock::real(None).wall().utc().with_timezone(&zone).date_naive();
    let (store, _) = Store::open(vault, StoreOptions::default())?;
    Ok(reads::write(&store, vec![StoreWrite::Head { day }])?)
}

fn verify(args: &VerifyArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let vault = args.data.vault()?;
    let copied = args.heads.as_deref().map(copied_heads).transpose()?;
    let records = StoreAccess::open(&vault)?;
    let bar = bar(records.reader.audit_size()?, text("cli-memory-audit-checking"));
    let checked = records.reader.verify_audit(
        &AuditKeys::derive(vault.seed()),
        &copied.unwrap_or_default(),
        |seq| {
            if seq % 1024 == 0 {
                bar.set_position(seq);
            }
        },
    )?;
    bar.finish_and_clear();
    let waiting = pending::load_pending(&vault)?.len();
    match checked {
        Ok(verified) => {
            if args.format.json {
                out.json(&json!({ "sound": true, "verified": verified, "waiting": waiting }))?;
            } else {
                out.text(&say!(
                    "cli-memory-audit-sound",
                    records = verified.records,
                    erased = verified.erased,
                    heads = verified.heads,
                    copied = verified.copied
                ))?;
                if waiting > 0 {
                    out.text(&say!("cli-memory-audit-records-wait", count = waiting))?;
                }
            }
            Ok(CommandExit::Ok)
        }
        Err(finding) => {
            if args.format.json {
                let message = finding.to_string();
                out.json(&json!({ "sound": false, "first_bad": finding, "message": message }))?;
            } else {
                let finding = say!(
                    "cli-memory-audit-finding",
                    record = finding.record.to_string(),
                    fault = fault_in_words(&finding.fault)
                );
                out.text(&say!("cli-memory-audit-not-sound", finding))?;
            }
            Ok(CommandExit::Bad)
        }
    }
}

/// What is wrong with the log; JSON has it in English.
fn fault_in_words(fault: &AuditFault) -> String {
    match fault {
        AuditFault::Missing => text("cli-memory-audit-fault-missing").to_owned(),
        AuditFault::Changed => text("cli-memory-audit-fault-changed").to_owned(),
        AuditFault::Meaning => text("cli-memory-audit-fault-meaning").to_owned(),
        AuditFault::Tree => text("cli-memory-audit-fault-tree").to_owned(),
        AuditFault::CutOff { day, size } => {
            say!(
                "cli-memory-audit-fault-cut-off",
                day = day.to_string(),
                size = size.to_string()
            )
        }
        AuditFault::Rewritten { day, size } => {
            say!(
                "cli-memory-audit-fault-rewritten",
                day = day.to_string(),
                size = size.to_string()
            )
        }
        AuditFault::Signature { day, size } => {
            say!(
                "cli-memory-audit-fault-signature",
                day = day.to_string(),
                size = size.to_string()
            )
        }
    }
}

/// Why there is no proof of a record.
fn no_proof_in_words(why: &NoProof) -> String {
    match why {
        NoProof::Record { seq, last } => {
            say!(
                "cli-memory-audit-no-record",
                seq = seq.to_string(),
                last = last.to_string()
            )
        }
        NoProof::Head { seq } => say!("cli-memory-audit-no-head-yet", seq = seq.to_string()),
    }
}

/// Why a proof shows nothing.
fn proof_fault_in_words(fault: ProofError) -> &'static str {
    match fault {
        ProofError::Signature => text("cli-memory-audit-proof-signature"),
        ProofError::Meaning => text("cli-memory-audit-proof-meaning"),
        ProofError::Path => text("cli-memory-audit-proof-path"),
    }
}

/// One head a line.
fn copied_heads(file: &Path) -> Result<Vec<SignedTreeHead>, CliError> {
    let mut input = InputFile::open(file)?;
    let mut heads = Vec::new();
    let mut number = 0_u64;
    while let Some(line) = input.line(DOCUMENT_BYTES_MAX)? {
        number += 1;
        if is_blank(&line) {
            continue;
        }
        heads.push(serde_json::from_slice(&line).map_err(|_| {
            CliError::Usage(say!(
                "cli-memory-audit-no-head-in-line",
                number = number.to_string(),
                path = file.display().to_string()
            ))
        })?);
    }
    Ok(heads)
}

fn prove(args: &ProveArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let vault = args.data.vault()?;
    let records = if args.reveal {
        let records = StoreAccess::open_to_show(&vault)?;
        records.shows(AuditSubject::all_of(Kind::Audit))?;
        records
    } else {
        StoreAccess::open(&vault)?
    };
    let proof = records
        .reader
        .audit_proof(&AuditKeys::derive(vault.seed()), args.seq, args.reveal)?;
    out.json(&proof.map_err(|error| CliError::NotThere(no_proof_in_words(&error)))?)?;
    Ok(CommandExit::Ok)
}

fn check(args: &AuditCheckArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let bytes = InputFile::open(&args.proof)?.whole(DOCUMENT_BYTES_MAX)?;
    let proof: InclusionProof = serde_json::from_slice(&bytes).map_err(|_| {
        CliError::Usage(say!(
            "cli-memory-audit-no-proof",
            path = args.proof.display().to_string()
        ))
    })?;
    let fault = match proof.check() {
        Err(error) => Some(proof_fault_in_words(error).to_owned()),
        Ok(()) if args.public_key.is_some_and(|key| key != proof.head.public_key) => {
            Some(text("cli-memory-audit-other-key").to_owned())
        }
        Ok(()) => None,
    };
    if args.format.json {
        let key = proof.head.public_key;
        out.json(&json!({ "holds": fault.is_none(), "fault": fault, "public_key": key }))?;
    } else {
        out.text(&match &fault {
            None => say!(
                "cli-memory-audit-holds",
                seq = proof.record.seq.to_string(),
                size = proof.head.size.to_string(),
                day = proof.head.day.to_string(),
                key = proof.head.public_key.to_string()
            ),
            Some(fault) => say!("cli-memory-audit-does-not-hold", fault),
        })?;
    }
    Ok(if fault.is_none() {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}
