//! The one file a model is kept in: a header that tells what it is, then its body.
//!
//! Numbers have their little end first. The header is
//! `cofiomlm`, the version of the format (four bytes), the SHA-256 of the model it was made from,
//! the SHA-256 of the body.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use cofio::{Error, ErrorKind, Result};
use sha2::{Digest, Sha256};

use super::linear::Line;

/// Changes with every change of the body or of what is computed from it.
pub(super) const VERSION: u32 = 1;
const MAGIC: &[u8; 8] = b"cofiomlm";
const HEADER: usize = 8 + 4 + 32 + 32;
/// How much is read, hashed and converted at a time.
const CHUNK: usize = 1 << 16;

/// What a file says about itself.
pub(super) struct Header {
    pub source: [u8; 32],
    body: [u8; 32],
}

/// Opens a model file and reads its header.
pub(super) fn open(path: &Path) -> Result<(Header, BodyReader)> {
    let file = File::open(path).map_err(|error| unopened(path, error))?;
    let mut reader = BufReader::with_capacity(CHUNK, file);
    let mut bytes = [0; HEADER];
    reader.read_exact(&mut bytes).map_err(|error| damaged(path).caused_by(error))?;
    if &bytes[..8] != MAGIC {
        return Err(damaged(path));
    }
    if bytes[8..12] != VERSION.to_le_bytes() {
        let message = format!(
            "model {} was made by another version; run `cofio model pull --force`",
            path.display()
        );
        return Err(Error::new(ErrorKind::Configuration, message));
    }
    let mut header = Header { source: [0; 32], body: [0; 32] };
    header.source.copy_from_slice(&bytes[12..44]);
    header.body.copy_from_slice(&bytes[44..]);
    Ok((header, BodyReader { reader, hash: Sha256::new() }))
}

/// Makes the error for a file that is not what its header says.
pub(super) fn damaged(path: &Path) -> Error {
    let message = format!("model {} is damaged; run `cofio model pull --force`", path.display());
    Error::new(ErrorKind::Damaged, message)
}

fn unopened(path: &Path, error: io::Error) -> Error {
    let path = path.display();
    let message = match error.kind() {
        io::ErrorKind::NotFound => format!("there is no model at {path}; run `cofio model pull`"),
        _ => format!("cannot open model {path}"),
    };
    Error::new(ErrorKind::Configuration, message).caused_by(error)
}

/// Reads a body from front to back and hashes it on the way.
pub(super) struct BodyReader {
    reader: BufReader<File>,
    hash: Sha256,
}

impl BodyReader {
    pub fn bytes(&mut self, count: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; count];
        for chunk in bytes.chunks_mut(CHUNK) {
            self.reader.read_exact(chunk)?;
            self.hash.update(chunk);
        }
        Ok(bytes)
    }

    pub fn f32s(&mut self, count: usize) -> io::Result<Vec<f32>> {
        self.numbers(count, f32::from_le_bytes)
    }

    pub fn lines(&mut self, count: usize) -> io::Result<Vec<Line>> {
        self.numbers(count, |bytes: [u8; 2 * Line::LENGTH]| {
            let weights = bytes.as_chunks().0;
            Line(std::array::from_fn(|place| i16::from_le_bytes(weights[place])))
        })
    }

    fn numbers<T, const SIZE: usize>(
        &mut self,
        count: usize,
        number: impl Fn([u8; SIZE]) -> T,
    ) -> io::Result<Vec<T>> {
        let mut numbers = Vec::with_capacity(count);
        let mut buffer = vec![0; CHUNK];
        while numbers.len() < count {
            let size = CHUNK.min((count - numbers.len()) * SIZE);
            self.reader.read_exact(&mut buffer[..size])?;
            self.hash.update(&buffer[..size]);
            numbers.extend(buffer[..size].as_chunks().0.iter().copied().map(&number));
        }
        Ok(numbers)
    }

    /// Returns whether all was read and is what was written.
    pub fn matches(mut self, header: &Header) -> io::Result<bool> {
        let at_end = self.reader.read(&mut [0])? == 0;
        Ok(at_end && self.hash.finalize()[..] == header.body)
    }
}

/// Writes a body from front to back and hashes it on the way.
pub(super) struct BodyWriter {
    writer: BufWriter<File>,
    hash: Sha256,
}

impl BodyWriter {
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.writer.write_all(bytes)
    }

    pub fn f32s(&mut self, numbers: &[f32]) -> io::Result<()> {
        numbers.iter().try_for_each(|number| self.bytes(&number.to_le_bytes()))
    }

    pub fn i16s(&mut self, numbers: &[i16]) -> io::Result<()> {
        numbers.iter().try_for_each(|number| self.bytes(&number.to_le_bytes()))
    }
}

/// Writes a model file; it appears at `target` whole or not at all.
pub(super) fn write(
    target: &Path,
    source: [u8; 32],
    body: impl FnOnce(&mut BodyWriter) -> io::Result<()>,
) -> io::Result<()> {
    let mut temporary = target.as_os_str().to_owned();
    temporary.push(format!(".{}.partial", std::process::id()));
    let temporary = Path::new(&temporary);
    let written = write_whole(temporary, source, body).and_then(|()| fs::rename(temporary, target));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(temporary);
    }
    written?;
    sync_folder(target)
}

fn write_whole(
    path: &Path,
    source: [u8; 32],
    body: impl FnOnce(&mut BodyWriter) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = BufWriter::with_capacity(CHUNK, File::create(path)?);
    writer.seek(SeekFrom::Start(HEADER as u64))?;
    let mut out = BodyWriter { writer, hash: Sha256::new() };
    body(&mut out)?;
    let BodyWriter { mut writer, hash } = out;
    writer.seek(SeekFrom::Start(0))?;
    writer.write_all(MAGIC)?;
    writer.write_all(&VERSION.to_le_bytes())?;
    writer.write_all(&source)?;
    writer.write_all(&hash.finalize())?;
    writer.into_inner()?.sync_all()
}

/// Makes a rename last; other systems than Unix have no handle for a folder.
fn sync_folder(target: &Path) -> io::Result<()> {
    match target.parent() {
        Some(folder) if cfg!(unix) && !folder.as_os_str().is_empty() => {
            File::open(folder)?.sync_all()
        }
        _ => Ok(()),
    }
}
