//! `assay build` refuses what Lambda could not run.

use assert_cmd::Command;

#[test]
fn a_binary_that_lambda_cannot_run_is_refused_with_what_to_install() {
    let folder = tempfile::tempdir().expect("folder");
    let script = folder.path().join("bootstrap");
    std::fs::write(&script, "#!/bin/sh\n").expect("write");
    let output = Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(["build", "--arch", "arm64"])
        .current_dir(folder.path())
        .env("ASSAY_BOOTSTRAP", &script)
        .env("ASSAY_ORACLE", &script)
        .output()
        .expect("assay runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(64), "{said}");
    assert!(said.contains("not a usable 64-bit Linux (ELF) binary") && said.contains("cargo-lambda"), "{said}");
    assert!(!folder.path().join("bootstrap.zip").exists());
}
