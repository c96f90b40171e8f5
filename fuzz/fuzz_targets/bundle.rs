//! No bytes make the reader of bundles panic, and what it takes in can be written again.

#![no_main]

use cofio::bundle::{Reader, Writer};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut reader) = Reader::new(bytes) else { return };
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out, jiff::Timestamp::UNIX_EPOCH).unwrap();
    while let Ok(Some(record)) = reader.read() {
        writer.add(&record).unwrap();
    }
    writer.finish().unwrap();
    Reader::new(out.as_slice()).and_then(Reader::verify).unwrap();
});
