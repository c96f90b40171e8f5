//! What has to hold on every shelf whose server fails.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use cofio::ErrorKind;
use cofio::shelf::{Shelf, Slot};
use cofio_adapters::guarded::{Circuit, Guarded, Limits, Options};
use cofio_adapters::retry::Retry;
use pollster::block_on;

use super::{content, slot, told, user};
use crate::servers::instance::Instance;
use crate::servers::proxy::{Manner, Proxy};

/// Returns a guard that loses patience soon.
pub fn guarded(shelf: Arc<dyn Shelf>, timeout: Duration) -> Guarded {
    let retry = Retry { retries: 2, first_delay: Duration::from_millis(50), ..Retry::default() };
    let limits = Limits { failures: 4, rest: Duration::from_millis(400) };
    let reading_retry = retry.clone();
    Guarded::new(shelf, Options { timeout, retry, reading_retry, limits, ..Options::new("it") })
        .unwrap()
}

/// Kills the server again and again while somebody writes: what was acknowledged is there, and
/// nothing has to be opened anew.
pub fn killed_while_writing(server: &mut Instance, shelf: Arc<dyn Shelf>, kills: usize) {
    let guarded = Arc::new(guarded(shelf, Duration::from_secs(5)));
    let acknowledged: Arc<Mutex<Vec<Slot>>> = Arc::default();
    let failed = Arc::new(Mutex::new(0_u64));
    let over = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..3_u64)
        .map(|writer| {
            let (guarded, over) = (guarded.clone(), over.clone());
            let (acknowledged, failed) = (acknowledged.clone(), failed.clone());
            thread::spawn(move || {
                let mut number = writer * 1_000_000;
                while !over.load(Ordering::Relaxed) {
                    number += 1;
                    let slot = slot(&user("alice"), number);
                    match block_on(guarded.put(&[content(&slot)])) {
                        Ok(()) => acknowledged.lock().unwrap().push(slot),
                        Err(error) => {
                            assert_eq!(error.kind(), ErrorKind::Provider, "{error}");
                            *failed.lock().unwrap() += 1;
                            thread::sleep(Duration::from_millis(20));
                        }
                    }
                }
            })
        })
        .collect();
    let count = || acknowledged.lock().unwrap().len();
    for _ in 0..kills {
        let before = count();
        wait_until("somebody writes", || count() > before + 20);
        server.kill();
        let failures = *failed.lock().unwrap();
        wait_until("writes fail", || *failed.lock().unwrap() > failures);
        server.restart();
    }
    let before = count();
    wait_until("writing goes on by itself", || count() > before + 20);
    over.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.join().unwrap();
    }

    let slots = acknowledged.lock().unwrap().clone();
    wait_until("all can be read", || block_on(guarded.get(&slots)).is_ok());
    let found = block_on(guarded.get(&slots)).unwrap();
    let lost = slots.iter().zip(&found).filter(|(slot, text)| **text != Some(told(slot))).count();
    assert_eq!(lost, 0, "of {} acknowledged texts", slots.len());
    assert!(guarded.counts().failures > 0 && guarded.counts().opened > 0);
}

/// Freezes the server: calls end in time, with a reason, and go on when it thaws.
pub fn frozen(server: &Instance, shelf: Arc<dyn Shelf>) {
    let slots = [slot(&user("alice"), 1)];
    let guarded = guarded(shelf, Duration::from_millis(300));
    block_on(guarded.put(&[content(&slots[0])])).unwrap();
    server.freeze();
    let start = Instant::now();
    let error = block_on(guarded.get(&slots)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Provider);
    assert!(error.to_string().contains("did not answer within 300 ms"), "{error}");
    assert_eq!((error.operation(), &error.details()["attempts"]), (Some("shelf.get"), &3.into()));
    assert!((900..5_000).contains(&start.elapsed().as_millis()), "{:?}", start.elapsed());
    let counts = guarded.counts();
    assert_eq!((counts.timeouts, counts.retries, counts.failures), (3, 2, 1));

    // One more failure is too many; from then on nobody waits.
    block_on(guarded.get(&slots)).unwrap_err();
    assert_eq!((guarded.circuit(), guarded.counts().opened), (Circuit::Open, 1));
    let start = Instant::now();
    let error = block_on(guarded.get(&slots)).unwrap_err();
    assert!(error.to_string().contains("left alone"), "{error}");
    assert!(start.elapsed() < Duration::from_millis(100), "{:?}", start.elapsed());

    server.thaw();
    wait_until("it is found again", || block_on(guarded.get(&slots)).is_ok());
    assert_eq!(block_on(guarded.get(&slots)).unwrap(), [Some(told(&slots[0]))]);
    assert_eq!(guarded.circuit(), Circuit::Closed);
}

/// Slows the way to the server down: as long as it answers in time nobody notices, later than that
/// calls end with a reason and it is left alone, and all goes on when it is quick again.
pub fn slow(way: &Proxy, shelf: Arc<dyn Shelf>) {
    let patient = guarded(Arc::clone(&shelf), Duration::from_secs(20));
    let hasty = guarded(shelf, Duration::from_millis(400));
    let mut kept = vec![slot(&user("alice"), 1)];
    block_on(patient.put(&[content(&kept[0])])).unwrap();
    way.set(Manner::Slow(Duration::from_millis(20)));
    let before = way.harmed();
    for number in 2..5 {
        let slot = slot(&user("alice"), number);
        block_on(patient.put(&[content(&slot)])).unwrap();
        kept.push(slot);
        let told = kept.iter().map(|slot| Some(told(slot))).collect::<Vec<_>>();
        assert_eq!(block_on(patient.get(&kept)).unwrap(), told);
    }
    let counts = patient.counts();
    assert_eq!((counts.failures, counts.retries, counts.timeouts), (0, 0, 0));
    assert!(way.harmed() > before, "nothing was slow");

    way.set(Manner::Slow(Duration::from_secs(2)));
    for number in 5.. {
        let slot = slot(&user("alice"), number);
        let error = match number % 2 {
            0 => block_on(hasty.get(&kept)).unwrap_err(),
            _ => block_on(hasty.put(&[content(&slot)])).unwrap_err(),
        };
        assert_eq!(error.kind(), ErrorKind::Provider, "{error:?}");
        assert!(!format!("{error:?}").contains("is about"), "{error:?}");
        if hasty.circuit() == Circuit::Open {
            break;
        }
        assert!(error.to_string().ends_with("did not answer within 400 ms"), "{error}");
        assert!(number < 9, "it is never left alone");
    }
    assert!(hasty.counts().opened > 0);

    way.set(Manner::Passes);
    wait_until("it is asked again", || block_on(hasty.get(&kept)).is_ok());
    assert_eq!(hasty.circuit(), Circuit::Closed);
    let last = slot(&user("alice"), 99);
    wait_until("it takes writes again", || block_on(hasty.put(&[content(&last)])).is_ok());
    kept.push(last);
    let found = block_on(patient.get(&kept)).unwrap();
    assert!(kept.iter().zip(found).all(|(slot, text)| text == Some(told(slot))));
}

/// Asks where nobody listens: the error says so, and may pass.
pub fn unreachable(shelf: &dyn Shelf) {
    let slots = [slot(&user("alice"), 1)];
    for error in [block_on(shelf.get(&slots)).err(), block_on(shelf.health()).err()] {
        let error = error.expect("nobody is there");
        assert_eq!(error.kind(), ErrorKind::Provider);
        assert!(error.to_string().contains("127.0.0.1:1"), "{error}");
    }
}

/// Looks whether a server whose certificate nobody vouches for is told as such, without the key.
pub fn a_stranger_is_refused(shelf: &dyn Shelf, name: &str, key: &str) {
    let own = content(&slot(&user("alice"), 1));
    for error in [block_on(shelf.health()).err(), block_on(shelf.put(&[own])).err()] {
        let error = error.unwrap();
        assert_eq!(error.kind(), ErrorKind::Configuration, "{error:?}");
        let told = error.to_string();
        assert!(told.starts_with(&format!("cannot reach {name} at https://127.0.0.1:")), "{told}");
        assert!(told.ends_with("nobody vouches for its certificate"), "{told}");
        assert!(!format!("{error:?}").contains(key), "{error:?}");
    }
}

pub fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(60), "waited in vain until {what}");
        thread::sleep(Duration::from_millis(20));
    }
}
