//! llama.cpp, in a process of its own.
//!
//! What: [`serve`], all of the program `aura-llm`: it loads one model and answers frames until the stream ends. Why: what llama.cpp
//! does to its process must not be done to Aura. Not here: sandbox and limits, which it is started with (`aura worker llm`).
//!
//! Measured, and why it is so: one thread, because two on a loaded machine wait for each other; greedy, because the same
//! question shall have the same answer; no log of llama.cpp's own, because it repeats words of the model's file.

#[expect(
    unsafe_code,
    reason = "llama.cpp's callback can be set through a pointer only"
)]
mod cancellation;
mod engine;
mod prefix_cache;
mod sample;
mod worker;

use crate::{
    manifest::{CONTEXT_MAX, CONTEXT_MIN},
    wire::{FromModel, RefusalCode, WireError},
};
use cancellation::CancellationToken;
use engine::{BATCH, InferenceEngine, ms};
use llama_cpp_2::{
    LogOptions,
    context::params::LlamaContextParams,
    llama_backend::LlamaBackend,
    model::{LlamaModel, params::LlamaModelParams},
    send_logs_to_tracing,
};
use prefix_cache::PrefixCache;
use sha2::{Digest as _, Sha256};
use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    num::NonZeroU32,
    os::unix::{fs::MetadataExt as _, net::UnixStream},
    path::{Path, PathBuf},
    time::Instant,
};
use worker::ServiceConnection;

/// Tokens that are evaluated in one graph: memory for its intermediate results grows with it.
const UBATCH: u32 = 128;

/// What the process is started with.
#[derive(Debug, Clone)]
pub struct WorkerConfig {
    /// The model's file.
    pub model: PathBuf,
    /// Where the evaluated prefix is kept; nowhere without.
    pub state: Option<PathBuf>,
    /// Tokens of context.
    pub context: u32,
    /// What is enforced on the process, in a few words.
    pub sandbox: String,
}

/// Why the process ends early.
#[derive(Debug, thiserror::Error)]
pub enum NativeError {
    /// The service was told so by a refusal with the number 0.
    #[error("{code}: {why}")]
    Start {
        code: RefusalCode,
        /// The same in words.
        why: String,
    },
    /// A frame cannot be read or sent.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The stream failed.
    #[error("the service's socket failed")]
    Socket(#[from] io::Error),
}

/// Loads the model and answers frames until the service says stop or closes the stream.
///
/// # Errors
/// [`NativeError`]; the process must end.
pub fn serve(config: &WorkerConfig, stream: &UnixStream) -> Result<(), NativeError> {
    let service = ServiceConnection::new(stream);
    let outcome = run(config, &service);
    if let Err(NativeError::Start { code, why }) = &outcome {
        let refusal = FromModel::Refused {
            n: 0,
            code: *code,
            why: why.clone(),
        };
        // That nobody listens any more is not what has to be told.
        let _ = service.send(&refusal);
    }
    outcome
}

fn cannot(code: RefusalCode, why: impl Into<String>) -> NativeError {
    NativeError::Start {
        code,
        why: why.into(),
    }
}

fn run(config: &WorkerConfig, service: &ServiceConnection<'_>) -> Result<(), NativeError> {
    let start = Instant::now();
    let missing = missing_features();
    if !missing.is_empty() {
        let why = format!(
            "the processor lacks {}, which the model's program needs",
            missing.join(", ")
        );
        return Err(cannot(RefusalCode::Processor, why));
    }
    let context = NonZeroU32::new(config.context)
        .filter(|context| (CONTEXT_MIN..=CONTEXT_MAX).contains(&context.get()))
        .ok_or_else(|| {
            let why = format!("a context has {CONTEXT_MIN} to {CONTEXT_MAX} tokens");
            cannot(RefusalCode::Bounds, why)
        })?;
    let fingerprint = fingerprint(&config.model).map_err(|_| {
        cannot(
            RefusalCode::File,
            "the model's file is not there or cannot be read",
        )
    })?;
    send_logs_to_tracing(LogOptions::default().with_logs_enabled(false));
    let backend = LlamaBackend::init().map_err(|_| cannot(RefusalCode::File, "llama.cpp does not start"))?;
    let params = LlamaModelParams::default().with_n_gpu_layers(0);
    let model = LlamaModel::load_from_file(&backend, &config.model, &params)
        .map_err(|_| cannot(RefusalCode::File, "llama.cpp cannot load the model's file"))?;
    // One for the life of the process: llama.cpp keeps its address.
    let brake: &'static CancellationToken = Box::leak(Box::new(CancellationToken::new()));
    let params = LlamaContextParams::default()
        .with_n_ctx(Some(context))
        .with_n_batch(BATCH)
        .with_n_ubatch(UBATCH)
        .with_n_seq_max(1)
        .with_n_threads(1)
        .with_n_threads_batch(1)
        .with_no_perf(true);
    let ctx = model
        .new_context(&backend, brake.attach(params))
        .map_err(|_| cannot(RefusalCode::File, "llama.cpp makes no context for this model"))?;
    let ready = FromModel::Ready {
        model: fingerprint.clone(),
        context: ctx.n_ctx(),
        load_ms: ms(start),
        sandbox: config.sandbox.clone(),
    };
    let engine = InferenceEngine::new(
        &model,
        ctx,
        brake,
        PrefixCache::new(config.state.clone(), fingerprint),
    );
    service.send(&ready)?;
    worker::run(engine, brake, service)
}

/// What llama.cpp is built to use, and this processor does not have: it would end the process at its first instruction.
#[cfg(target_arch = "x86_64")]
fn missing_features() -> Vec<&'static str> {
    [
        ("SSE4.2", is_x86_feature_detected!("sse4.2")),
        ("AVX", is_x86_feature_detected!("avx")),
        ("AVX2", is_x86_feature_detected!("avx2")),
        ("BMI2", is_x86_feature_detected!("bmi2")),
        ("FMA", is_x86_feature_detected!("fma")),
        ("F16C", is_x86_feature_detected!("f16c")),
    ]
    .into_iter()
    .filter(|(_, there)| !there)
    .map(|(name, _)| name)
    .collect()
}

/// Built for what every such processor has.
#[cfg(not(target_arch = "x86_64"))]
fn missing_features() -> Vec<&'static str> {
    Vec::new()
}

/// Which file it is, without reading all of it: its length, its time of change, its first and last MiB.
fn fingerprint(path: &Path) -> io::Result<String> {
    const PART: u64 = 1024 * 1024;
    let mut file = File::open(path)?;
    let meta = file.metadata()?;
    let mut hash = Sha256::new();
    hash.update(meta.len().to_be_bytes());
    hash.update(meta.mtime().to_be_bytes());
    hash.update(meta.mtime_nsec().to_be_bytes());
    for from in [0, meta.len().saturating_sub(PART)] {
        file.seek(SeekFrom::Start(from))?;
        let mut part = Vec::new();
        (&mut file).take(PART).read_to_end(&mut part)?;
        hash.update(&part);
    }
    Ok(prefix_cache::hex16(&hash.finalize()))
}
