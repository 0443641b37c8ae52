//! The double's language models.
//!
//! What: one that is here and in use, one that is got; what is asked for is noted. Not here: any claim.

use crate::morning::Double;
use surfaces_base::backend::{
    BackendError, BackendFuture,
    models::{ModelAct, ModelBackend, ModelStage, ModelView, ModelWork, ModelsView},
};
use toolcall_schema::ModelFileStatus;

fn view(work: Option<ModelWork>) -> ModelsView {
    let model = |name: &str, bytes, file| ModelView {
        name: name.to_owned(),
        bytes,
        licence: "Apache-2.0".to_owned(),
        origin: "a package".to_owned(),
        file,
    };
    ModelsView {
        models: vec![
            model("alder", 105_454_432, ModelFileStatus::There),
            model("birch", 1_070_000_000, ModelFileStatus::Absent),
        ],
        chosen: Some("alder".to_owned()),
        work,
    }
}

impl ModelBackend for Double {
    fn models(&self) -> BackendFuture<Result<Option<ModelsView>, BackendError>> {
        Self::ready(Some(view(None)))
    }

    fn act_on_model(&self, act: ModelAct) -> BackendFuture<Result<Option<ModelsView>, BackendError>> {
        self.note(format!("model {act:?}"));
        let stage = match act {
            ModelAct::Get(_) => Some(ModelStage::Getting(535_000_000, 1_070_000_000)),
            ModelAct::Try(_) => Some(ModelStage::Tried(812, 2_340)),
            ModelAct::Remove(_) => Some(ModelStage::InUse),
            ModelAct::Use(_) | ModelAct::UseNone => None,
        };
        let name = "birch".to_owned();
        Self::ready(Some(view(stage.map(|stage| ModelWork { name, stage }))))
    }
}
