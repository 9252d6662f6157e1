//! Reading an archive as a stream, with bounded memory and bounded patience.

use crate::{
    name::{NameSet, check_path},
    problem::{Kind, Problem},
};
use flate2::bufread::GzDecoder;
use std::{
    cell::{Cell, RefCell},
    io::{self, BufRead as _, BufReader, Read},
    rc::Rc,
};
use tar::EntryType;

/// What an archive may demand of its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Entries.
    pub max_entries: usize,
    /// Bytes of one entry.
    pub max_entry_bytes: u64,
    /// Bytes of everything, unpacked.
    pub max_total_bytes: u64,
    /// Unpacked bytes per packed byte, once [`Limits::ratio_from`] bytes are unpacked.
    pub max_ratio: u64,
    /// Unpacked bytes from which the ratio counts.
    pub ratio_from: u64,
    /// Bytes that are kept in memory of indexes and records together, and again of verdicts and results.
    pub max_kept_bytes: u64,
}

impl Default for Limits {
    /// 200,000 entries, 8 GiB each, 32 GiB in all, ratio 200 from 16 MiB on, twice 256 MiB kept.
    fn default() -> Self {
        let gib = 1 << 30;
        Self {
            max_entries: 200_000,
            max_entry_bytes: 8 * gib,
            max_total_bytes: 32 * gib,
            max_ratio: 200,
            ratio_from: 16 << 20,
            max_kept_bytes: 256 << 20,
        }
    }
}

/// Most problems told of one archive.
const MAX_PROBLEMS: usize = 10_000;
/// Longest GNU long name read, bytes; the name itself is then checked like any other.
const MAX_LONG_NAME: u64 = 4096;

/// Shows every plain file of the gzipped tar `source` to `visit` (path, size, content) and returns what is wrong
/// with the archive itself. Entries with unsafe names and entries that are not plain files are reported, not shown.
pub fn read(
    source: impl Read,
    limits: &Limits,
    visit: &mut dyn FnMut(&str, u64, &mut dyn Read) -> io::Result<()>,
) -> Vec<Problem> {
    let packed = Rc::new(Cell::new(0));
    let tripped = Rc::new(RefCell::new(None));
    let counted = Counted { inner: source, count: Rc::clone(&packed) };
    let gzip = GzDecoder::new(BufReader::with_capacity(64 * 1024, counted));
    let metered = Metered { inner: gzip, limits: *limits, produced: 0, packed, tripped: Rc::clone(&tripped) };
    let mut archive = tar::Archive::new(metered);
    let mut walk = Walk { limits, visit, names: NameSet::new(), count: 0, problems: Vec::new() };
    let mut ended = walk.entries(&mut archive);
    if matches!(ended, Ok(true)) {
        ended = check_end(archive.into_inner()).map(|()| true);
    }
    let mut problems = walk.problems;
    if let Err(error) = ended {
        problems.push(match tripped.take() {
            Some(message) => Problem::new(Kind::LimitReached, "", message),
            None => Problem::new(Kind::ArchiveMalformed, "", format!("not a sound tar.gz archive: {error}")),
        });
    }
    problems
}

struct Walk<'a> {
    limits: &'a Limits,
    visit: &'a mut dyn FnMut(&str, u64, &mut dyn Read) -> io::Result<()>,
    names: NameSet,
    count: usize,
    problems: Vec<Problem>,
}

impl Walk<'_> {
    /// Whether the end was reached; false if a limit stopped the walk.
    fn entries(&mut self, archive: &mut tar::Archive<impl Read>) -> io::Result<bool> {
        let mut long_name: Option<Vec<u8>> = None;
        // Raw: the tar crate would read long names and pax headers of any length into memory.
        for entry in archive.entries()?.raw(true) {
            let mut entry = entry?;
            let size = entry.header().entry_size()?;
            let kind = entry.header().entry_type();
            if kind == EntryType::GNULongName {
                if long_name.replace(read_long_name(&mut entry, size)?).is_some() {
                    return Err(io::Error::other("a long name follows a long name"));
                }
                continue;
            }
            if self.problems.len() >= MAX_PROBLEMS {
                let message = format!("more than {MAX_PROBLEMS} problems; the rest of the archive was not read");
                self.problems.push(Problem::new(Kind::LimitReached, "", message));
                return Ok(false);
            }
            self.count += 1;
            if self.count > self.limits.max_entries || size > self.limits.max_entry_bytes {
                let message = if size > self.limits.max_entry_bytes {
                    format!("entry {} has {size} bytes, the limit is {}", self.count, self.limits.max_entry_bytes)
                } else {
                    format!("more than {} entries", self.limits.max_entries)
                };
                self.problems.push(Problem::new(Kind::LimitReached, "", message));
                return Ok(false);
            }
            let name = long_name.take().unwrap_or_else(|| entry.path_bytes().into_owned());
            self.one(&name, kind, size, &mut entry)?;
        }
        match long_name {
            None => Ok(true),
            Some(_) => Err(io::Error::other("ends in a long name without its entry")),
        }
    }

    fn one(&mut self, name: &[u8], kind: EntryType, size: u64, content: &mut dyn Read) -> io::Result<()> {
        let shown = String::from_utf8_lossy(name).into_owned();
        if let Some((kind, message)) = odd_kind(kind) {
            self.problems.push(Problem::new(kind, shown, message));
            return Ok(());
        }
        let checked = match std::str::from_utf8(name) {
            Ok(name) => check_path(name).map_err(|error| (Kind::UnsafeName, format!("unsafe name: {error}"))),
            Err(_) => Err((Kind::UnsafeName, "name is not UTF-8".to_owned())),
        };
        let checked = checked.and_then(|()| {
            self.names.insert(&shown).map_err(|error| (Kind::NameCollision, format!("name collides: {error}")))
        });
        match checked {
            Ok(()) => {
                let mut content = content.take(size);
                (self.visit)(&shown, size, &mut content)?;
                io::copy(&mut content, &mut io::sink())?;
                match content.limit() {
                    0 => Ok(()),
                    left => Err(io::Error::new(io::ErrorKind::UnexpectedEof, format!("{shown} is {left} bytes short"))),
                }
            }
            Err((kind, message)) => {
                self.problems.push(Problem::new(kind, shown, message));
                Ok(())
            }
        }
    }
}

fn odd_kind(kind: EntryType) -> Option<(Kind, String)> {
    match kind {
        EntryType::Regular => None,
        EntryType::Symlink => Some((Kind::Symlink, "is a symbolic link".to_owned())),
        EntryType::Link => Some((Kind::HardLink, "is a hard link".to_owned())),
        other => {
            Some((Kind::SpecialFile, format!("is a tar entry of type {:?}, not a plain file", other.as_byte() as char)))
        }
    }
}

fn read_long_name(entry: &mut impl Read, size: u64) -> io::Result<Vec<u8>> {
    if size > MAX_LONG_NAME {
        return Err(io::Error::other(format!("a name of {size} bytes")));
    }
    let mut name = Vec::new();
    entry.take(size).read_to_end(&mut name)?;
    name.pop_if(|byte| *byte == 0);
    Ok(name)
}

/// After the last entry only zero padding may come, then the gzip checksum, then nothing.
fn check_end<R: Read>(mut metered: Metered<GzDecoder<BufReader<R>>>) -> io::Result<()> {
    let mut buffer = [0; 8192];
    loop {
        match metered.read(&mut buffer)? {
            0 => break,
            n if buffer[..n].iter().all(|byte| *byte == 0) => {}
            _ => return Err(io::Error::other("data after the end of the archive")),
        }
    }
    if metered.inner.get_mut().fill_buf()?.is_empty() {
        Ok(())
    } else {
        Err(io::Error::other("data after the end of the gzip stream"))
    }
}

struct Counted<R> {
    inner: R,
    count: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.count.set(self.count.get() + n as u64);
        Ok(n)
    }
}

/// Stops the stream when it yields more than it may.
struct Metered<R> {
    inner: R,
    limits: Limits,
    produced: u64,
    packed: Rc<Cell<u64>>,
    /// Why the stream was stopped; the tar crate wraps errors so that their type is lost.
    tripped: Rc<RefCell<Option<String>>>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.produced += n as u64;
        let limits = &self.limits;
        let message = if self.produced > limits.max_total_bytes {
            format!("unpacks to more than {} bytes", limits.max_total_bytes)
        } else if self.produced > limits.ratio_from && self.produced / limits.max_ratio > self.packed.get() {
            format!("unpacks to more than {} times its size", limits.max_ratio)
        } else {
            return Ok(n);
        };
        *self.tripped.borrow_mut() = Some(message.clone());
        Err(io::Error::other(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Writer;
    use std::io::Write as _;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new());
        for (path, bytes) in files {
            writer.file(path, bytes.len() as u64, *bytes).unwrap();
        }
        writer.finish().unwrap()
    }

    fn kinds(bytes: &[u8], limits: &Limits) -> Vec<Kind> {
        read(bytes, limits, &mut |_, _, _| Ok(())).into_iter().map(|problem| problem.kind).collect()
    }

    fn raw(build: impl FnOnce(&mut tar::Builder<&mut Vec<u8>>)) -> Vec<u8> {
        let mut tar = Vec::new();
        let mut builder = tar::Builder::new(&mut tar);
        build(&mut builder);
        builder.finish().unwrap();
        drop(builder);
        gzip(&tar)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap()
    }

    fn header(name: &[u8], kind: EntryType, size: u64) -> tar::Header {
        let mut header = tar::Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name);
        header.set_entry_type(kind);
        header.set_size(size);
        header.set_cksum();
        header
    }

    #[test]
    fn files_come_back_in_order_also_with_long_names() {
        let long = format!("{}/{}.json", "d".repeat(120), "f".repeat(100));
        let bytes = archive(&[("b.json", b"two"), (&long, b"long"), ("a.json", b"")]);
        let mut seen = Vec::new();
        let problems = read(&bytes[..], &Limits::default(), &mut |path, size, content| {
            let mut text = String::new();
            content.read_to_string(&mut text)?;
            seen.push((path.to_owned(), size, text));
            Ok(())
        });
        assert_eq!(problems, []);
        assert_eq!(
            seen,
            [
                ("b.json".to_owned(), 3, "two".to_owned()),
                (long, 4, "long".to_owned()),
                ("a.json".to_owned(), 0, String::new())
            ]
        );
    }

    #[test]
    fn same_files_same_bytes_without_time_or_owner() {
        let files: &[(&str, &[u8])] = &[("a", b"1"), ("b", b"2")];
        assert_eq!(archive(files), archive(files));
        assert_eq!(archive(files)[4..8], [0; 4]);
        let bytes = archive(files);
        let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(&bytes[..]));
        for entry in tar.entries().unwrap() {
            let entry = entry.unwrap();
            let header = entry.header();
            assert_eq!((header.mtime().unwrap(), header.uid().unwrap(), header.mode().unwrap()), (0, 0, 0o644));
            assert_eq!(header.username().unwrap(), Some(""));
        }
    }

    #[test]
    fn escaping_linked_and_repeated_entries_are_refused() {
        let bytes = raw(|tar| {
            let entries: [(&[u8], EntryType); 9] = [
                (b"../x", EntryType::Regular),
                (b"/etc/passwd", EntryType::Regular),
                (b"a\\b", EntryType::Regular),
                (b"link", EntryType::Symlink),
                (b"hard", EntryType::Link),
                (b"pipe", EntryType::Fifo),
                (b"pax", EntryType::XHeader),
                (b"\xff", EntryType::Regular),
                (b"folder", EntryType::Directory),
            ];
            for (name, kind) in entries {
                tar.append(&header(name, kind, 0), io::empty()).unwrap();
            }
            for name in [&b"a.json"[..], b"A.json", b"a.json"] {
                tar.append(&header(name, EntryType::Regular, 1), &b"x"[..]).unwrap();
            }
        });
        use Kind::{HardLink, NameCollision, SpecialFile, Symlink, UnsafeName};
        let expected = [
            UnsafeName,
            UnsafeName,
            UnsafeName,
            Symlink,
            HardLink,
            SpecialFile,
            SpecialFile,
            UnsafeName,
            SpecialFile,
            NameCollision,
            NameCollision,
        ];
        assert_eq!(kinds(&bytes, &Limits::default()), expected);
    }

    #[test]
    fn bombs_are_stopped() {
        let zeros = vec![0; 4 << 20];
        let bytes = archive(&[("zeros", &zeros)]);
        let small = Limits { ratio_from: 1 << 20, ..Limits::default() };
        assert_eq!(kinds(&bytes, &small), [Kind::LimitReached]);
        assert_eq!(kinds(&bytes, &Limits { max_total_bytes: 1 << 20, ..Limits::default() }), [Kind::LimitReached]);
        assert_eq!(kinds(&bytes, &Limits { max_entry_bytes: 1 << 20, ..Limits::default() }), [Kind::LimitReached]);
        let many = archive(&[("a", b""), ("b", b""), ("c", b"")]);
        assert_eq!(kinds(&many, &Limits { max_entries: 2, ..Limits::default() }), [Kind::LimitReached]);
        assert_eq!(kinds(&bytes, &Limits::default()), []);
        let long_name = raw(|tar| {
            tar.append(&header(b"././@LongLink", EntryType::GNULongName, 1 << 20), io::repeat(b'a').take(1 << 20))
                .unwrap();
        });
        assert_eq!(kinds(&long_name, &Limits::default()), [Kind::ArchiveMalformed]);
    }

    #[test]
    fn every_truncation_and_any_trailing_byte_is_noticed() {
        let bytes = archive(&[("a.json", b"some content"), ("b.json", b"more")]);
        for cut in 0..bytes.len() {
            assert_eq!(kinds(&bytes[..cut], &Limits::default()), [Kind::ArchiveMalformed], "cut at {cut}");
        }
        let trailing = [&bytes[..], b"x"].concat();
        assert_eq!(kinds(&trailing, &Limits::default()), [Kind::ArchiveMalformed]);
        let mut tar = Vec::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut tar).unwrap();
        tar.extend_from_slice(b"hidden");
        assert_eq!(kinds(&gzip(&tar), &Limits::default()), [Kind::ArchiveMalformed]);
    }

    #[test]
    fn writer_refuses_other_sizes_and_unsafe_names() {
        let mut writer = Writer::new(Vec::new());
        assert!(writer.file("../x", 0, io::empty()).is_err());
        assert!(writer.file("short", 2, &b"x"[..]).is_err());
        assert!(Writer::new(Vec::new()).file("long", 1, &b"xy"[..]).is_err());
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..2048)) {
            let direct = read(&bytes[..], &Limits::default(), &mut |_, _, _| Ok(()));
            proptest::prop_assert!(!direct.is_empty());
            let _ = read(&gzip(&bytes)[..], &Limits::default(), &mut |_, _, _| Ok(()));
        }
    }
}
