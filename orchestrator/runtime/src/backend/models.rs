//! What the page asks about language models.
//!
//! What: [`ModelBackend`] for [`ServiceBackend`]. Why: beside the owner's other questions (`owner`), in a file of its own. Not here: doing it
//! (`crate::page_models`).

use super::ServiceBackend;
use aura_memory::audit::{Kind, Op};
use surfaces_base::backend::{
    BackendError, BackendFuture,
    models::{ModelAct, ModelBackend, ModelsView},
};

impl ModelBackend for ServiceBackend {
    fn models(&self) -> BackendFuture<Result<Option<ModelsView>, BackendError>> {
        let models = self.models.clone();
        Box::pin(async move {
            let Some(models) = models else { return Ok(None) };
            let view = tokio::task::spawn_blocking(move || models.view()).await;
            view.map(Some).map_err(|_| BackendError::Stopping)
        })
    }

    fn act_on_model(&self, act: ModelAct) -> BackendFuture<Result<Option<ModelsView>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let Some(models) = me.models.clone() else {
                return Ok(None);
            };
            let chosen = match &act {
                ModelAct::Use(_) => Some("model:chosen"),
                ModelAct::UseNone => Some("model:none"),
                ModelAct::Get(_) | ModelAct::Try(_) | ModelAct::Remove(_) => None,
            };
            if chosen.is_some() {
                me.record_act(Op::Write, Kind::Settings).await?;
            }
            let done = tokio::task::spawn_blocking(move || (models.act(act), models.view())).await;
            let (is_another, view) = done.map_err(|_| BackendError::Stopping)?;
            if is_another {
                me.model.changed();
                me.record_settings(chosen.map(str::to_owned)).await;
            }
            Ok(Some(view))
        })
    }
}
