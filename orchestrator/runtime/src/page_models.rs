//! Language models that a page gets, chooses, tries and removes.
//!
//! What: [`PageModels`], which does one thing at a time on a thread of its own and says how far it is. Why: a model is a large file, and nobody waits for it on a
//! page. Not here: manifests, downloads and trials (`aura_process::models`), which model is asked (`aura_memory::chosen`).

use crate::with_cause::with_cause;
use aura_memory::chosen::{self, ModelChoice};
use aura_process::{
    WorkerProgram,
    llm::ModelLaunch,
    models::{self, ModelCatalog, ModelError, fetch},
};
use llm_runtime::manifest::{ModelManifest, ModelOrigin};
use std::{
    fs,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    thread,
};
use surfaces_base::backend::models::{ModelAct, ModelStage, ModelView, ModelWork, ModelsView};

/// What pages do with models of a folder.
#[derive(Debug, Clone)]
pub struct PageModels {
    /// The data folder.
    data: PathBuf,
    /// The program that runs a model; absent: beside this one.
    worker: Option<PathBuf>,
    work: Arc<Mutex<Option<ModelWork>>>,
}

impl PageModels {
    pub(crate) fn new(data: PathBuf, worker: Option<PathBuf>) -> Self {
        let work = Arc::default();
        Self { data, worker, work }
    }

    /// What there is. Blocks.
    pub(crate) fn view(&self) -> ModelsView {
        let catalog = ModelCatalog::in_folder(&self.data);
        let mut work = self.work().clone();
        if let Some(ModelWork {
            name,
            stage: ModelStage::Getting(done, _),
        }) = &mut work
            && let Ok(manifest) = catalog.find(name)
        {
            *done = (*done).max(catalog.models.part_length(&manifest.file).unwrap_or_default());
        }
        ModelsView {
            chosen: self.chosen(),
            models: catalog
                .manifests
                .iter()
                .map(|manifest| view(&catalog, manifest))
                .collect(),
            work,
        }
    }

    fn chosen(&self) -> Option<String> {
        match chosen::chosen(&self.data) {
            ModelChoice::None => None,
            ModelChoice::Model(name) => Some(name),
            ModelChoice::Default => ModelManifest::built_in()
                .into_iter()
                .next()
                .map(|manifest| manifest.name),
        }
    }

    fn work(&self) -> std::sync::MutexGuard<'_, Option<ModelWork>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, name: &str, stage: ModelStage) {
        let name = name.to_owned();
        *self.work() = Some(ModelWork { name, stage });
    }

    /// Does it, or begins to; whether another model is asked now. Blocks.
    pub(crate) fn act(&self, act: ModelAct) -> bool {
        if self.work().as_ref().is_some_and(|work| work.stage.is_running()) {
            return false;
        }
        match act {
            ModelAct::UseNone => self.choose(None),
            ModelAct::Use(name) => self.choose(Some(&name)),
            ModelAct::Remove(name) => {
                self.remove(&name);
                false
            }
            ModelAct::Get(name) => {
                self.begin(&name, |bytes| ModelStage::Getting(0, bytes), PageModels::get);
                false
            }
            ModelAct::Try(name) => {
                self.begin(&name, |_| ModelStage::Trying, PageModels::try_out);
                false
            }
        }
    }

    fn choose(&self, name: Option<&str>) -> bool {
        let known = name.is_none_or(|name| ModelCatalog::in_folder(&self.data).find(name).is_ok());
        let done = known && chosen::choose(&self.data, name).is_ok();
        if done {
            *self.work() = None;
        } else {
            let why = "it could not be written which one is used".to_owned();
            self.note(name.unwrap_or("none"), ModelStage::Failed(why));
        }
        done
    }

    fn remove(&self, name: &str) {
        if self.chosen().as_deref() == Some(name) {
            return self.note(name, ModelStage::InUse);
        }
        let catalog = ModelCatalog::in_folder(&self.data);
        let removed = catalog
            .find(name)
            .map_err(|error| with_cause(&error))
            .and_then(|manifest| {
                fs::remove_file(catalog.models.path(&manifest.file)).map_err(|error| error.to_string())
            });
        self.note(
            name,
            removed.map_or_else(ModelStage::Failed, |()| ModelStage::Removed),
        );
    }

    /// Does a piece of work on a thread of its own; `stage`: how it begins, for a file of so many bytes.
    fn begin(
        &self,
        name: &str,
        stage: fn(u64) -> ModelStage,
        work: fn(&PageModels, &ModelCatalog, &ModelManifest) -> Result<ModelStage, ModelError>,
    ) {
        let catalog = ModelCatalog::in_folder(&self.data);
        let manifest = match catalog.find(name) {
            Ok(manifest) => manifest.clone(),
            Err(error) => return self.note(name, ModelStage::Failed(with_cause(&error))),
        };
        {
            let mut now = self.work();
            if now.as_ref().is_some_and(|work| work.stage.is_running()) {
                return;
            }
            *now = Some(ModelWork {
                name: name.to_owned(),
                stage: stage(manifest.bytes),
            });
        }
        let me = self.clone();
        let started = thread::Builder::new().name("models".to_owned()).spawn(move || {
            let done = work(&me, &catalog, &manifest);
            let stage = done.unwrap_or_else(|error| ModelStage::Failed(with_cause(&error)));
            me.note(&manifest.name, stage);
        });
        if started.is_err() {
            self.note(name, ModelStage::Failed("there is no thread for it".to_owned()));
        }
    }

    fn get(&self, catalog: &ModelCatalog, manifest: &ModelManifest) -> Result<ModelStage, ModelError> {
        let mut seen = |bytes| self.note(&manifest.name, ModelStage::Getting(bytes, manifest.bytes));
        fetch::fetch(catalog, manifest, None, true, &mut seen)?;
        Ok(ModelStage::Got)
    }

    fn try_out(&self, catalog: &ModelCatalog, manifest: &ModelManifest) -> Result<ModelStage, ModelError> {
        if catalog.models.length(&manifest.file).is_none() {
            return Err(ModelError::NoFile);
        }
        catalog.models.verify(&models::expected(manifest), &mut |_| {})?;
        let trial = models::try_out(&ModelLaunch {
            program: WorkerProgram::default(),
            worker: self.worker.clone(),
            model: catalog.models.path(&manifest.file),
            state: None,
            context: manifest.context,
        })?;
        Ok(ModelStage::Tried(trial.load_ms, trial.total_ms))
    }
}

fn view(catalog: &ModelCatalog, manifest: &ModelManifest) -> ModelView {
    ModelView {
        name: manifest.name.clone(),
        bytes: manifest.bytes,
        licence: manifest.licence.clone(),
        origin: origin(&manifest.origin),
        file: catalog.standing(manifest),
    }
}

/// Where a model comes from, as a person says it.
fn origin(origin: &ModelOrigin) -> String {
    match origin {
        ModelOrigin::Wheel { package, .. } => format!("PyPI ({package})"),
        ModelOrigin::Url { url } => {
            let host = url.split('/').nth(2).filter(|host| !host.is_empty());
            host.unwrap_or(url).to_owned()
        }
        ModelOrigin::File {} => "a file of yours".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::ModelFileStatus;

    #[test]
    fn model_is_chosen_refused_while_in_use_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let models = PageModels::new(dir.path().to_owned(), None);
        let [first, second] = [0, 1].map(|n| {
            ModelManifest::built_in()
                .get(n)
                .map(|manifest| manifest.name.clone())
        });
        let first = first.unwrap();
        // Without a choice the first that is built in is asked.
        assert_eq!(models.view().chosen.as_deref(), Some(first.as_str()));
        assert!(models.act(ModelAct::UseNone));
        assert_eq!(models.view().chosen, None);
        let stage = || models.view().work.unwrap().stage;
        // Its file is not here.
        assert!(!models.act(ModelAct::Remove(first.clone())));
        assert!(matches!(stage(), ModelStage::Failed(_)), "{:?}", stage());
        assert!(models.act(ModelAct::Use(first.clone())));
        assert!(!models.act(ModelAct::Remove(first.clone())));
        assert_eq!(stage(), ModelStage::InUse);
        assert!(!models.act(ModelAct::Use("nobody".to_owned())));
        assert!(matches!(stage(), ModelStage::Failed(_)));
        assert!(models.act(ModelAct::UseNone));
        let catalog = ModelCatalog::in_folder(dir.path());
        let file = catalog.models.path(&catalog.find(&first).unwrap().file);
        catalog.models.make().unwrap();
        fs::write(&file, "not a model").unwrap();
        let shown = |name: &str| {
            models
                .view()
                .models
                .into_iter()
                .find(|model| model.name == name)
                .unwrap()
                .file
        };
        assert_eq!(shown(&first), ModelFileStatus::Wrong);
        models.act(ModelAct::Remove(first.clone()));
        assert_eq!((stage(), file.exists()), (ModelStage::Removed, false));
        if let Some(second) = second {
            assert_eq!(shown(&second), ModelFileStatus::Absent);
        }
    }
}
