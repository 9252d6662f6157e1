//! A disk that is full or read-only, on a small file system in a namespace of its own, where the system lets us mount.

use crate::support::{Lab, Programs, on_small_disk, sample};
use std::path::Path;

fn programs() -> Programs {
    Programs::of(Path::new(env!("CARGO_BIN_EXE_assay")))
}

#[test]
fn a_disk_that_fills_up_is_said_nothing_is_half_sealed_and_the_run_goes_on() {
    for more_kib in sample(9, 2, 500) {
        let Some(point) = on_small_disk(&programs(), more_kib) else {
            eprintln!("not tried: this system lets nobody mount");
            return;
        };
        assert!(point.problems.is_empty(), "{point:?}");
    }
}

#[test]
fn a_read_only_folder_is_said_before_anything_is_done() {
    let lab = Lab::open(&programs(), None);
    let Some(refused) = lab.within_mount("ro", &lab.run_args()) else { return };
    assert_eq!(refused.code, Some(70), "{refused:?}");
    assert!(refused.stderr.contains("Read-only file system"), "{refused:?}");
    assert_eq!(lab.calls(localcloud::Service::CloudFormation, "CreateStack"), 0);
}
