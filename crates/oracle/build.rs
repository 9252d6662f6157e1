//! Takes the digest of the sources that judge, so that a verdict names the oracle that gave it.

use sha2::{Digest, Sha256};
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    let mut hash = Sha256::new();
    for root in ["src", "../evidence/src"] {
        println!("cargo::rerun-if-changed={root}");
        for file in sources(Path::new(root))? {
            // Length first: no two different trees give the same stream of bytes.
            let (name, bytes) = (file.display().to_string(), std::fs::read(&file)?);
            hash.update(format!("{} {} {}\n", name.len(), bytes.len(), name));
            hash.update(&bytes);
        }
    }
    let hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    println!("cargo::rustc-env=ORACLE_SOURCE_SHA256={hex}");
    Ok(())
}

/// Every file below `folder`, sorted by path.
fn sources(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}
