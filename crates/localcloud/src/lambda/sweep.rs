//! Folders of unzipped functions that a killed cloud left behind. Their names hold the process that made them, so that
//! the next cloud on the machine can tell whose they are.

use std::path::Path;

/// Start of the names of these folders.
const PREFIX: &str = "localcloud-function-";

/// Name's beginning for a folder of this process.
pub(super) fn prefix() -> String {
    format!("{PREFIX}{}-", std::process::id())
}

/// Removes the folders of processes that are no more. A folder that cannot be removed is left to the system, which
/// empties its temporary folder by itself.
pub(crate) fn sweep(temporary: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(temporary) else { return 0 };
    let dead = entries.filter_map(Result::ok).filter(|entry| entry.file_name().to_str().is_some_and(is_of_the_dead));
    dead.filter(|entry| std::fs::remove_dir_all(entry.path()).is_ok()).count()
}

fn is_of_the_dead(name: &str) -> bool {
    let pid = name.strip_prefix(PREFIX).and_then(|rest| rest.split_once('-')).and_then(|(pid, _)| pid.parse().ok());
    pid.and_then(rustix::process::Pid::from_raw)
        .is_some_and(|pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_dead_processes_go() {
        let temporary = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let dead = format!("{PREFIX}{}-abc", child.id());
        let kept = [format!("{}abc", prefix()), "localcloud-function-x-abc".to_owned(), "other-1-x".to_owned()];
        for name in kept.iter().chain([&dead]) {
            std::fs::create_dir(temporary.path().join(name)).unwrap();
        }
        std::fs::write(temporary.path().join(&dead).join("bootstrap"), b"x").unwrap();
        assert_eq!(sweep(temporary.path()), 1);
        assert!(!temporary.path().join(&dead).exists());
        assert!(kept.iter().all(|name| temporary.path().join(name).exists()));
    }
}
