//! Shelves whose servers have no space left on their disks.

use std::time::Duration;

use cofio::Error;
use cofio::shelf::{Content, Shelf, Slot};
use cofio_adapters::chroma::Options;
use pollster::block_on;

use crate::clean::clean;
use crate::redis::DURABLE;
use crate::servers::disk::Disk;
use crate::servers::instance::Instance;
use crate::shelves::{content, faults, slot, user};
use crate::{chroma, mem0, qdrant, redis};

/// Writes until the disk of a server is full, makes room, starts the server again, and goes on: each
/// of them ends or may hang.
fn filled_up(disk: &Disk, server: &mut Instance, shelf: &dyn Shelf, name: &str) {
    let large = clean(&"plenty of words ".repeat(2_000));
    let text = |number| Content { text: large.clone(), ..content(&slot(&user("alice"), number)) };
    let mut kept: Vec<Slot> = vec![text(0).slot];
    faults::wait_until("it takes a text", || block_on(shelf.put(&[text(0)])).is_ok());
    disk.fill(1_000_000);
    let error: Error = loop {
        let content = text(kept.len() as u64);
        assert!(kept.len() < 2_000, "it is never full");
        match block_on(shelf.put(std::slice::from_ref(&content))) {
            Ok(()) => kept.push(content.slot),
            Err(error) => break error,
        }
    };
    let shown = format!("{error:?}");
    assert!(error.to_string().contains(name), "{shown}");
    assert!(!shown.contains("plenty") && !shown.contains("secret"), "{shown}");

    disk.clear();
    server.kill();
    server.restart();
    let more = text(1_000_000);
    let put = || block_on(shelf.put(std::slice::from_ref(&more))).is_ok();
    faults::wait_until("there is room again", put);
    kept.push(more.slot.clone());
    let mut found = Vec::new();
    faults::wait_until("all can be read", || match block_on(shelf.get(&kept)) {
        Ok(texts) => {
            found = texts;
            true
        }
        Err(_) => false,
    });
    let lost = found.iter().filter(|text| text.as_deref() != Some(large.as_str())).count();
    assert_eq!(lost, 0, "of {} acknowledged texts", kept.len());
}

#[test]
fn redis_loses_nothing_acknowledged() {
    let (Some(disk), Some(command)) = (Disk::new(16), redis::command(DURABLE)) else { return };
    let mut server = Instance::start_in(disk.path(), command);
    let shelf = redis::open(&redis::options(&server));
    filled_up(&disk, &mut server, &shelf, "redis");
}

#[test]
fn chroma_loses_nothing_acknowledged() {
    let (Some(disk), Some(command)) = (Disk::new(32), chroma::command()) else { return };
    let mut server = Instance::start_in(disk.path(), command);
    // It waits for its own unfinished transaction at times, and answers nothing else then.
    let timeout = Duration::from_secs(5);
    let shelf = chroma::open(&Options { timeout, ..chroma::options(&server) });
    filled_up(&disk, &mut server, &shelf, "chroma");
}

#[test]
fn qdrant_loses_nothing_acknowledged() {
    let (Some(disk), Some(command)) = (Disk::new(200), qdrant::command()) else { return };
    let mut server = Instance::start_in(disk.path(), command);
    let shelf = qdrant::open(&qdrant::options(&server));
    filled_up(&disk, &mut server, &shelf, "qdrant");
}

#[test]
fn mem0_loses_nothing_acknowledged() {
    let (Some(disk), Some(command)) = (Disk::new(32), mem0::command()) else { return };
    let mut server = Instance::start_in(disk.path(), command);
    let shelf = mem0::open(&mem0::options(&server));
    filled_up(&disk, &mut server, &shelf, "mem0");
}
