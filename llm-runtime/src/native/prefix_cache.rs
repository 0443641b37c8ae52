//! The evaluated prefix on disk.
//!
//! What: one file in the state folder, named by a hash over the model, the context and the tokens, and by a hash of its bytes. Why: a
//! process that was killed answers again at once. Not here: evaluating (`engine`). It holds the evaluation of Aura's own
//! instructions, nothing else.
//!
//! llama.cpp aborts the process over a damaged file, so the bytes are held against their hash first; and the file has another name while
//! it is read, so that one that ends the process all the same is not found the next time.

use llama_cpp_2::{context::LlamaContext, token::LlamaToken};
use sha2::{Digest as _, Sha256};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The beginning of the names of these files.
const BEGIN: &str = "prefix-";

/// Where the prefix of one model is kept; nowhere without a folder.
#[derive(Debug)]
pub(super) struct PrefixCache {
    folder: Option<PathBuf>,
    model: String,
}

impl PrefixCache {
    /// In that folder, for the model with that fingerprint.
    pub(super) fn new(folder: Option<PathBuf>, model: String) -> Self {
        Self { folder, model }
    }

    /// How the names of files with the evaluation of these tokens begin.
    fn begin(&self, context: u32, tokens: &[LlamaToken]) -> String {
        let mut hash = Sha256::new();
        hash.update(self.model.as_bytes());
        hash.update(context.to_be_bytes());
        for token in tokens {
            hash.update(token.0.to_be_bytes());
        }
        format!("{BEGIN}{}-", hex16(&hash.finalize()))
    }

    /// Reads the evaluation of these tokens into an empty context. `false`: it has to be evaluated, and the context may hold
    /// part of something.
    pub(super) fn restore(&self, ctx: &mut LlamaContext<'_>, tokens: &[LlamaToken]) -> bool {
        let begin = self.begin(ctx.n_ctx(), tokens);
        let Some((folder, file)) = self
            .folder
            .as_ref()
            .and_then(|folder| Some((folder, find(folder, &begin)?)))
        else {
            return false;
        };
        let trying = folder.join(format!("{BEGIN}trying"));
        let whole = name(&begin, &file).is_ok_and(|name| file.ends_with(name));
        if !whole || fs::rename(&file, &trying).is_err() {
            return false;
        }
        let read = ctx.state_seq_load_file(&trying, 0, tokens.len());
        read.is_ok_and(|(read, _)| read == tokens) && fs::rename(&trying, &file).is_ok()
    }

    /// Keeps the evaluation of these tokens, which is all that the context holds, and forgets every other. That it fails costs time
    /// after the next start, nothing else.
    pub(super) fn keep(&self, ctx: &LlamaContext<'_>, tokens: &[LlamaToken]) -> io::Result<()> {
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        forget(folder)?;
        let new = folder.join(format!("{BEGIN}new"));
        ctx.state_seq_save_file(&new, 0, tokens)
            .map_err(io::Error::other)?;
        let name = name(&self.begin(ctx.n_ctx(), tokens), &new)?;
        fs::rename(&new, folder.join(name))
    }
}

/// The file whose name begins so.
fn find(folder: &Path, begin: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    entries.map(|entry| entry.path()).find(|path| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(begin))
    })
}

/// The name that a file with these bytes has.
fn name(begin: &str, file: &Path) -> io::Result<String> {
    Ok(format!("{begin}{}.kv", hex16(&Sha256::digest(fs::read(file)?))))
}

/// Removes what earlier processes kept.
fn forget(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(BEGIN) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// The first eight bytes in hex.
pub(super) fn hex16(hash: &[u8]) -> String {
    let number = hash
        .iter()
        .take(8)
        .fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    format!("{number:016x}")
}
