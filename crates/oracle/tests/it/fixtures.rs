//! Fixtures per failure class: `tests/fixtures/<class>/trial.json` and the verdict on it.
//!
//! `UPDATE_FIXTURES=1 cargo test -p oracle --test it fixtures` writes them anew from the scenes. What a scene must be
//! judged as is asserted apart from the files, so that a new set of files cannot hide a changed judgement.

use crate::scenes::{self, Scene};
use crate::support::judge;
use evidence::trial::TrialEvidence;
use evidence::verdict::TrialVerdict;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn pretty(value: &impl serde::Serialize) -> String {
    // Through `Value`, so that members are sorted.
    serde_json::to_string_pretty(&serde_json::to_value(value).unwrap()).unwrap() + "\n"
}

fn words(verdict: &TrialVerdict) -> String {
    let reasons = verdict.rules.iter().map(|rule| rule.reason.as_str());
    let all = reasons
        .chain(verdict.missing.iter().map(String::as_str))
        .chain(verdict.invalid_reasons.iter().map(String::as_str));
    all.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_scene_is_judged_as_its_class_demands() {
    let mut wrong = Vec::new();
    for Scene { name, evidence, verdict: expected, valid, says } in scenes::all() {
        let verdict = judge(&evidence);
        if verdict.verdict != expected || verdict.valid != valid || !words(&verdict).contains(says) {
            let (found, valid) = (verdict.verdict, verdict.valid);
            wrong.push(format!(
                "{name}: {found:?}, valid {valid}; expected {expected:?} and {says:?} in\n{}",
                words(&verdict)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn fixtures_are_those_of_the_scenes() {
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut names = BTreeSet::new();
    for scene in scenes::all() {
        assert!(names.insert(scene.name.to_owned()), "{} stands twice", scene.name);
        let folder = root().join(scene.name);
        for (file, text) in [("trial.json", pretty(&scene.evidence)), ("verdict.json", pretty(&judge(&scene.evidence)))]
        {
            let path = folder.join(file);
            if update {
                fs::create_dir_all(&folder).unwrap();
                fs::write(&path, &text).unwrap();
            }
            let kept = fs::read_to_string(&path).unwrap_or_default();
            assert!(
                kept == text,
                "{} differs; if it should, run with UPDATE_FIXTURES=1 and read the diff",
                path.display()
            );
        }
        let file = fs::read(folder.join("trial.json")).unwrap();
        let evidence: TrialEvidence = serde_json::from_slice(&file).unwrap();
        assert_eq!(
            pretty(&judge(&evidence)),
            fs::read_to_string(folder.join("verdict.json")).unwrap(),
            "{}",
            scene.name
        );
    }
    let there: BTreeSet<String> =
        fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(there, names, "a fixture belongs to no scene");
}
