//! A run's packages, on disk and in its journal: sealing one, and taking in one that a crash left between the two.

use crate::exit::Failure;
use crate::run::{Event, Head, RunFolder, RunLog, now_ms};
use evidence::digest::Digest;
use evidence::package::{Draft, PackageError, Sealed};
use evidence::stage::{SCHEMA, StageRecord};

/// Folder and journal of one run.
pub(super) struct Archive<'a> {
    pub(super) folder: &'a RunFolder,
    pub(super) log: &'a RunLog,
}

/// Where a package stands.
pub(super) enum Standing {
    /// Sealed and journaled.
    Journaled,
    /// A crash had left it sealed but not journaled; it is taken as it is.
    Adopted(Digest),
    /// Not sealed.
    Absent,
}

impl Archive<'_> {
    /// Looks for a package, and takes it in if only the journal does not know it.
    pub(super) fn look(&self, name: &str) -> Result<Standing, Failure> {
        let folder = self.folder.packages().join(name);
        if self.log.state().package(name).is_some() {
            return Ok(Standing::Journaled);
        }
        if !folder.join("index.json").is_file() {
            return Ok(Standing::Absent);
        }
        let sealed = Sealed::open(&folder).map_err(|e| Failure::Unverified(e.to_string()))?;
        self.note(name, &sealed).map(Standing::Adopted)
    }

    /// Seals a package that is not there yet, chained to everything that was sealed before.
    pub(super) fn seal(
        &self,
        record: &StageRecord,
        fill: impl FnOnce(&mut Draft) -> Result<(), PackageError>,
    ) -> Result<Digest, Failure> {
        let (name, parent) = (record.stage.as_str(), self.folder.packages());
        let make = || -> Result<Sealed, PackageError> {
            Draft::discard_leftover(&parent, name)?;
            let mut draft = Draft::create(&parent, name, self.folder.id(), &self.log.state().identities())?;
            draft.write_json("stage.json", record)?;
            fill(&mut draft)?;
            draft.seal()
        };
        let sealed = make().map_err(|e| Failure::Internal(format!("cannot freeze {name}: {e}")))?;
        self.note(name, &sealed)
    }

    fn note(&self, name: &str, sealed: &Sealed) -> Result<Digest, Failure> {
        let identity = *sealed.identity();
        self.log.append(Event::Sealed { package: name.to_owned(), identity })?;
        Ok(identity)
    }
}

/// The record of a stage that completes now and has no trials.
pub(super) fn record(head: Head, study: &str, stage: &str, started_at_ms: i64) -> StageRecord {
    StageRecord {
        schema: SCHEMA.to_owned(),
        run: head.run,
        study: study.to_owned(),
        stage: stage.to_owned(),
        grade: head.grade,
        plan_digest: head.plan_digest.to_string(),
        origin: head.origin,
        started_at_ms,
        ended_at_ms: now_ms(),
        outcome: "completed".to_owned(),
        trials: Vec::new(),
    }
}
