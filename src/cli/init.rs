//! `assay init`: study 1 as the start of a study of one's own.

use super::print;
use crate::exit::{Exit, Failure};
use crate::plan::names::slug;
use clap::Args;
use std::path::{Path, PathBuf};

/// What a new study holds beside its protocol, by path.
const FILES: [(&str, &str); 6] = [
    ("protocols/protocol.schema.json", include_str!("../../protocols/protocol.schema.json")),
    ("templates/artifacts.yaml", include_str!("../../templates/artifacts.yaml")),
    ("templates/provider.yaml", include_str!("../../templates/provider.yaml")),
    ("templates/conventional.yaml", include_str!("../../templates/conventional.yaml")),
    ("templates/durable.yaml", include_str!("../../templates/durable.yaml")),
    (".gitignore", "runs/\n"),
];

const PROTOCOL: &str = include_str!("../../protocols/study-1.yaml");

#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Name of the study and of its new folder: lower-case letters, digits and hyphens
    name: PathBuf,
}

/// Writes a new study's folder; nothing that exists is touched.
pub(super) fn init(args: &InitArgs) -> Result<Exit, Failure> {
    let folder = &args.name;
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if slug(name).as_deref() != Some(name) {
        return Err(Failure::Usage(format!(
            "`{name}` cannot name a study: it becomes part of tags and file names, so take at most 30 lower-case \
             letters, digits and hyphens, a letter first, for example `my-study`"
        )));
    }
    if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) || folder.is_file() {
        return Err(Failure::Usage(format!(
            "{} exists and is not empty; name a new folder, or remove it first",
            folder.display()
        )));
    }
    let protocol = format!("protocols/{name}.yaml");
    write(folder, &protocol, &renamed(name))?;
    for (path, text) in FILES {
        write(folder, path, text)?;
    }
    print(&format!(
        "{shown}/{protocol}    the question, the variants, their timing, the trials and the predictions\n\
         {shown}/templates/    the stacks that are deployed\n\n\
         next:\n  cd {shown}\n  assay plan {protocol}\n  assay rehearse {protocol}\n",
        shown = folder.display()
    ));
    Ok(Exit::Ok)
}

/// Study 1's protocol under another name, with its comments.
fn renamed(name: &str) -> String {
    let lines = PROTOCOL.lines().map(|line| match line {
        "study: study-1" => format!("study: {name}"),
        line if line.starts_with("# The ambiguous outcome:") => {
            "# Begun as a copy of study 1 by `assay init`. Change the question first, then what answers it.".to_owned()
        }
        line => line.to_owned(),
    });
    lines.map(|line| line + "\n").collect()
}

fn write(folder: &Path, path: &str, text: &str) -> Result<(), Failure> {
    let path = folder.join(path);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(|e| Failure::io("create folder", parent, &e))?;
    }
    std::fs::write(&path, text).map_err(|e| Failure::io("write", &path, &e))
}
