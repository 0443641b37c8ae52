//! What is said of language models.
//!
//! What: the section of the page Settings. Not here: whether one answers now (`sections`).

use crate::{
    backend::models::ModelStage,
    format,
    language::{Text, say, text},
};
use toolcall_schema::ModelFileStatus;

/// Heading of the section.
pub const MODELS: Text = Text("models-models");
/// What it is for.
pub const MODELS_SAY: Text = Text("models-models-say");
/// None is asked.
pub const MODEL_NONE: Text = Text("models-model-none");
/// Stops using one.
pub const MODEL_USE_NONE: Text = Text("models-model-use-none");
/// Gets its file.
pub const MODEL_GET: Text = Text("models-model-get");
/// Goes on getting it.
pub const MODEL_GET_ON: Text = Text("models-model-get-on");
/// Has it asked.
pub const MODEL_USE: Text = Text("models-model-use");
/// Tries it.
pub const MODEL_TRY: Text = Text("models-model-try");
/// Removes its file.
pub const MODEL_REMOVE: Text = Text("models-model-remove");
/// It is the one that is asked.
pub fn model_chosen(file: ModelFileStatus) -> &'static str {
    match file {
        ModelFileStatus::There => text("models-model-chosen-in-use"),
        ModelFileStatus::Absent | ModelFileStatus::Part | ModelFileStatus::Wrong => {
            text("models-model-chosen-chosen")
        }
    }
}
/// Why nothing can be done here.
pub const MODELS_NOT_HERE: Text = Text("models-models-not-here");

/// A model's size and licence.
pub fn model_means(bytes: u64, licence: &str, origin: &str) -> String {
    say!(
        "models-model-means",
        value = bytes.div_ceil(1_000_000),
        origin,
        licence
    )
}

/// What of its file is here.
pub fn model_file(file: ModelFileStatus) -> &'static str {
    match file {
        ModelFileStatus::Absent => text("models-model-file-not-here"),
        ModelFileStatus::Part => text("models-model-file-part-of-it"),
        ModelFileStatus::Wrong => text("models-model-file-another-file-of"),
        ModelFileStatus::There => text("models-model-file-here"),
    }
}

/// The name of a button.
pub fn model_button(does: &str, name: &str) -> String {
    format!("{does}: {name}")
}

/// How far something is with it.
pub fn model_stage(name: &str, stage: &ModelStage) -> String {
    match stage {
        ModelStage::Getting(done, of) if *done > 0 => say!(
            "models-model-stage-i-am-getting",
            name,
            value = done / 1_000_000,
            value2 = of.div_ceil(1_000_000)
        ),
        ModelStage::Getting(_, of) => say!(
            "models-model-stage-i-am-getting-2",
            name,
            value = of.div_ceil(1_000_000)
        ),
        ModelStage::Trying => say!("models-model-stage-i-am-trying", name),
        ModelStage::Got => say!("models-model-stage-is-here-and", name),
        ModelStage::Tried(load, total) => say!(
            "models-model-stage-works-here-it",
            name,
            seconds = seconds(*load),
            seconds2 = seconds(*total)
        ),
        ModelStage::Failed(_) => say!("models-model-stage-that-did-not", name),
        ModelStage::InUse => say!("models-model-stage-is-in-use", name),
        ModelStage::Removed => say!("models-model-stage-the-file-of", name),
    }
}

/// With one digit after the point.
fn seconds(ms: u32) -> String {
    format::tenths(ms.div_ceil(100))
}
