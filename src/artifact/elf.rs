//! What a Linux binary needs from the machine that runs it: its architecture and the newest glibc symbol version.

use object::elf::{EM_AARCH64, EM_X86_64, FileHeader64};
use object::endian::Endianness;
use object::read::elf::FileHeader;
use std::fmt;
use std::str::FromStr;

/// Instruction sets that Lambda offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    /// 64-bit Intel and AMD.
    X86_64,
    /// 64-bit ARM (Graviton).
    Arm64,
}

impl Architecture {
    /// The architecture of this machine, if Lambda has it.
    #[must_use]
    pub fn host() -> Option<Self> {
        match std::env::consts::ARCH {
            "x86_64" => Some(Self::X86_64),
            "aarch64" => Some(Self::Arm64),
            _ => None,
        }
    }

    /// The Rust target for it, with glibc.
    #[must_use]
    pub fn rust_target(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64-unknown-linux-gnu",
            Self::Arm64 => "aarch64-unknown-linux-gnu",
        }
    }
}

impl fmt::Display for Architecture {
    /// Lambda's name for it, as in the property `Architectures`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::X86_64 => "x86_64",
            Self::Arm64 => "arm64",
        })
    }
}

impl FromStr for Architecture {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "x86_64" => Ok(Self::X86_64),
            "arm64" => Ok(Self::Arm64),
            other => Err(format!("`{other}` is no architecture of Lambda; use x86_64 or arm64")),
        }
    }
}

/// A glibc symbol version, for example `2.34`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GlibcVersion {
    /// First number.
    pub major: u32,
    /// Second number.
    pub minor: u32,
}

impl GlibcVersion {
    /// What the runtime `provided.al2023` ships (README of `aws-durable-execution-sdk`).
    pub const AL2023: Self = Self { major: 2, minor: 34 };

    /// Reads a symbol version name; names of other libraries and private ones give `None`.
    fn of_symbol(name: &[u8]) -> Option<Self> {
        let numbers = std::str::from_utf8(name).ok()?.strip_prefix("GLIBC_")?;
        let mut parts = numbers.split('.').map(str::parse);
        let (major, minor) = (parts.next()?.ok()?, parts.next().unwrap_or(Ok(0)).ok()?);
        Some(Self { major, minor })
    }
}

impl fmt::Display for GlibcVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// What is known of a binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binary {
    /// Instruction set.
    pub architecture: Architecture,
    /// Newest glibc that it needs; `None` for a static binary.
    pub glibc: Option<GlibcVersion>,
}

/// A binary that Lambda cannot run.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ElfError {
    /// Not a 64-bit Linux binary, or damaged.
    #[error("not a usable 64-bit Linux (ELF) binary: {0}")]
    NotElf(String),
    /// An instruction set that Lambda does not offer.
    #[error("the binary's machine type {0} is no architecture of Lambda")]
    Machine(u16),
    /// For another architecture than asked for.
    #[error("the binary is for {found}, but the functions are declared as {wanted}")]
    Architecture {
        /// Asked for.
        wanted: Architecture,
        /// In the binary.
        found: Architecture,
    },
    /// Linked against a newer glibc than the runtime has.
    #[error("the binary needs glibc {needed}, but provided.al2023 has {}", GlibcVersion::AL2023)]
    Glibc {
        /// Newest version needed.
        needed: GlibcVersion,
    },
}

impl From<object::Error> for ElfError {
    fn from(error: object::Error) -> Self {
        Self::NotElf(error.to_string())
    }
}

impl Binary {
    /// Reads architecture and glibc needs from the file's bytes.
    ///
    /// # Errors
    /// When the bytes are no 64-bit ELF file, or for another machine.
    pub fn inspect(bytes: &[u8]) -> Result<Self, ElfError> {
        let header = FileHeader64::<Endianness>::parse(bytes)?;
        let endian = header.endian()?;
        let architecture = match header.e_machine(endian) {
            EM_X86_64 => Architecture::X86_64,
            EM_AARCH64 => Architecture::Arm64,
            other => return Err(ElfError::Machine(other.0)),
        };
        Ok(Self { architecture, glibc: newest_glibc(header, endian, bytes)? })
    }

    /// Whether the runtime `provided.al2023` can run it as `wanted`.
    ///
    /// # Errors
    /// The first thing that is in the way.
    pub fn check_for_lambda(self, wanted: Architecture) -> Result<(), ElfError> {
        if self.architecture != wanted {
            return Err(ElfError::Architecture { wanted, found: self.architecture });
        }
        match self.glibc {
            Some(needed) if needed > GlibcVersion::AL2023 => Err(ElfError::Glibc { needed }),
            _ => Ok(()),
        }
    }
}

fn newest_glibc(
    header: &FileHeader64<Endianness>,
    endian: Endianness,
    bytes: &[u8],
) -> Result<Option<GlibcVersion>, ElfError> {
    let sections = header.sections(endian, bytes)?;
    let Some((mut needs, strings)) = sections.gnu_verneed(endian, bytes)? else { return Ok(None) };
    let strings = sections.strings(endian, bytes, strings)?;
    let mut newest = None;
    while let Some((_, mut versions)) = needs.next()? {
        while let Some(version) = versions.next()? {
            newest = newest.max(GlibcVersion::of_symbol(version.name(endian, strings)?));
        }
    }
    Ok(newest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The test binary itself: an ELF file that surely runs here.
    fn own() -> Vec<u8> {
        std::fs::read(std::env::current_exe().unwrap()).unwrap()
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn a_real_binary_tells_architecture_and_glibc() {
        let binary = Binary::inspect(&own()).unwrap();
        assert_eq!(Some(binary.architecture), Architecture::host());
        assert!(binary.glibc.unwrap() >= GlibcVersion { major: 2, minor: 2 });
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_cut_binary_is_refused_or_read_but_never_a_panic() {
        let bytes = own();
        for length in [0, 1, 16, 63, 64, 100, 4096, bytes.len() / 2] {
            // A cut file has lost its section table, which stands at the end.
            assert!(Binary::inspect(&bytes[..length.min(bytes.len())]).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn versions_are_ordered_as_numbers() {
        let of = |name: &str| GlibcVersion::of_symbol(name.as_bytes());
        assert!(of("GLIBC_2.34") > of("GLIBC_2.4"));
        assert_eq!(of("GLIBC_2.2.5"), Some(GlibcVersion { major: 2, minor: 2 }));
        assert_eq!(of("GLIBC_PRIVATE"), None);
        assert_eq!(of("GCC_3.0"), None);
    }

    #[test]
    fn too_new_and_wrong_binaries_are_told_apart() {
        let needed = GlibcVersion { major: 2, minor: 36 };
        let binary = Binary { architecture: Architecture::X86_64, glibc: Some(needed) };
        let error = binary.check_for_lambda(Architecture::X86_64).unwrap_err();
        assert_eq!(error.to_string(), "the binary needs glibc 2.36, but provided.al2023 has 2.34");
        let error = binary.check_for_lambda(Architecture::Arm64).unwrap_err();
        assert_eq!(error.to_string(), "the binary is for x86_64, but the functions are declared as arm64");
        let fine = Binary { glibc: Some(GlibcVersion::AL2023), ..binary };
        assert_eq!(fine.check_for_lambda(Architecture::X86_64), Ok(()));
        let fixed = Binary { glibc: None, ..binary };
        assert_eq!(fixed.check_for_lambda(Architecture::X86_64), Ok(()));
    }

    proptest! {
        #[test]
        fn garbage_is_refused_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
            prop_assert!(Binary::inspect(&bytes).is_err());
        }

        #[test]
        fn garbage_behind_a_real_header_does_not_panic(tail in prop::collection::vec(any::<u8>(), 0..512)) {
            let mut bytes = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 62, 0, 1, 0, 0, 0];
            bytes.extend(tail);
            if let Ok(binary) = Binary::inspect(&bytes) {
                prop_assert_eq!(binary.architecture, Architecture::X86_64);
            }
        }
    }
}
