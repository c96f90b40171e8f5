//! Reads the tensors of a downloaded model.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// A `model.safetensors`: the size of a table, the table as JSON, the numbers.
pub(super) struct Tensors {
    file: File,
    table: Value,
    numbers_at: u64,
}

impl Tensors {
    /// Opens the file and reads its table.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut size = [0; 8];
        file.read_exact(&mut size)?;
        let size = u64::from_le_bytes(size);
        let mut table = Vec::new();
        (&file).take(size.min(1 << 24)).read_to_end(&mut table)?;
        Ok(Self { file, table: serde_json::from_slice(&table)?, numbers_at: 8 + size })
    }

    /// Returns the SHA-256 of the whole file.
    pub fn hash(&mut self) -> io::Result<[u8; 32]> {
        self.file.seek(SeekFrom::Start(0))?;
        let mut reader = BufReader::with_capacity(1 << 16, &self.file);
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            let count = reader.read(&mut buffer)?;
            if count == 0 {
                return Ok(hash.finalize().into());
            }
            hash.update(&buffer[..count]);
        }
    }

    /// Returns the numbers of a tensor that has to have this shape.
    pub fn numbers(&mut self, name: &str, shape: &[usize]) -> io::Result<Vec<f32>> {
        let (start, size) = self.place(name, shape).ok_or_else(|| {
            let message = format!("there is no tensor {name} of type F32 and shape {shape:?}");
            io::Error::new(io::ErrorKind::InvalidData, message)
        })?;
        self.file.seek(SeekFrom::Start(self.numbers_at + start))?;
        let mut bytes = vec![0; size];
        self.file.read_exact(&mut bytes)?;
        Ok(bytes.as_chunks().0.iter().copied().map(f32::from_le_bytes).collect())
    }

    fn place(&self, name: &str, shape: &[usize]) -> Option<(u64, usize)> {
        let entry = self.table.get(name)?;
        let size = shape.iter().product::<usize>() * size_of::<f32>();
        let start = entry.get("data_offsets")?.get(0)?.as_u64()?;
        let end = entry.get("data_offsets")?.get(1)?.as_u64()?;
        let fits = entry.get("dtype")? == "F32"
            && *entry.get("shape")? == Value::from(shape)
            && start.checked_add(size as u64) == Some(end);
        fits.then_some((start, size))
    }
}
