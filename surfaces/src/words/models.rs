//! What is said of language models.
//!
//! What: the section of the page Settings. Not here: whether one answers now (`sections`).

use crate::backend::models::{ModelFileView, ModelStage};

/// Heading of the section.
pub const MODELS: &str = "Language model";
/// What it is for.
pub const MODELS_SAY: &str = "It words explanations on this computer, and nothing of yours leaves for it. Without one my sentences are made from templates.";
/// None is asked.
pub const MODEL_NONE: &str = "No model is used.";
/// Stops using one.
pub const MODEL_USE_NONE: &str = "Use none";
/// Gets its file.
pub const MODEL_GET: &str = "Get it";
/// Goes on getting it.
pub const MODEL_GET_ON: &str = "Go on getting it";
/// Has it asked.
pub const MODEL_USE: &str = "Use it";
/// Tries it.
pub const MODEL_TRY: &str = "Try it";
/// Removes its file.
pub const MODEL_REMOVE: &str = "Remove its file";
/// It is the one that is asked.
pub fn model_chosen(file: ModelFileView) -> &'static str {
    match file {
        ModelFileView::There => "in use",
        ModelFileView::Absent | ModelFileView::Part | ModelFileView::Wrong => "chosen",
    }
}
/// Why nothing can be done here.
pub const MODELS_NOT_HERE: &str = "A model can be got, tried or changed only in the browser that Aura itself has opened on this computer, within half an hour.";

/// A model's size and licence.
pub fn model_means(bytes: u64, licence: &str, origin: &str) -> String {
    format!(
        "{} MB on your disk, from {origin}. Licence: {licence}.",
        bytes.div_ceil(1_000_000)
    )
}

/// What of its file is here.
pub fn model_file(file: ModelFileView) -> &'static str {
    match file {
        ModelFileView::Absent => "not here",
        ModelFileView::Part => "part of it is here",
        ModelFileView::Wrong => "another file of its name is here",
        ModelFileView::There => "here",
    }
}

/// The name of a button.
pub fn model_button(does: &str, name: &str) -> String {
    format!("{does}: {name}")
}

/// How far something is with it.
pub fn model_stage(name: &str, stage: &ModelStage) -> String {
    match stage {
        ModelStage::Getting(done, of) if *done > 0 => format!(
            "I am getting {name}: {} of {} MB.",
            done / 1_000_000,
            of.div_ceil(1_000_000)
        ),
        ModelStage::Getting(_, of) => format!("I am getting {name}: {} MB.", of.div_ceil(1_000_000)),
        ModelStage::Trying => format!("I am trying {name}. That may take a minute or two."),
        ModelStage::Got => format!("{name} is here, and its file is the right one."),
        ModelStage::Tried(load, total) => format!(
            "{name} works here: it loads in {} s and answers a short question in {} s.",
            seconds(*load),
            seconds(*total)
        ),
        ModelStage::Failed(_) => format!("{name}: that did not work."),
        ModelStage::InUse => format!("{name} is in use. Use another one or none first."),
        ModelStage::Removed => format!("The file of {name} is removed."),
    }
}

/// With one digit after the point.
fn seconds(ms: u32) -> String {
    let tenths = ms.div_ceil(100);
    format!("{}.{}", tenths / 10, tenths % 10)
}
