//! A node of a cluster: one that has every key is as good as a server by itself.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::slice::from_ref;
use std::sync::Arc;

use cofio::ErrorKind;
use cofio::model::Timestamp;
use cofio::shelf::{MemoryShelf, Shelf, conformance};
use pollster::block_on;

use super::{DURABLE, SERVER, URL, command, open, options, raw};
use crate::servers::instance::Instance;
use crate::shelves::{content, faults, slot, told, user};

/// Starts a node that has some of the places for keys, unless there is none to start.
fn node(first: &str, last: &str) -> Option<Instance> {
    let begin = command(DURABLE)?;
    // Nodes speak to each other by a port of their own, which is not to be one that cannot be.
    let bus = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let node = Instance::start(move |port, folder: &Path| -> Command {
        let mut command = begin(port, folder);
        command.args(["--cluster-enabled", "yes", "--cluster-port", &bus.to_string()]);
        command
    });
    assert_eq!(raw(&node, &["CLUSTER", "ADDSLOTSRANGE", first, last]), "OK");
    Some(node)
}

fn wait_for(node: &Instance, what: &str) {
    faults::wait_until(what, || raw(node, &["CLUSTER", "INFO"]).contains(what));
}

fn fresh() -> (Arc<dyn Shelf>, Option<Instance>) {
    let Some(node) = node("0", "16383") else {
        // Nobody asks it anything.
        return (Arc::new(MemoryShelf::new(Timestamp::now)), None);
    };
    wait_for(&node, "cluster_state:ok");
    (Arc::new(open(&options(&node))), Some(node))
}

fn unless_skipped(case: impl Future<Output = ()>) {
    if std::env::var_os(SERVER).is_some() {
        crate::shelves::unless_skipped(URL, case);
    }
}

conformance::suite!(fresh, unless_skipped);

#[test]
fn a_node_that_has_some_of_the_keys_says_so() {
    let (Some(one), Some(two)) = (node("0", "8191"), node("8192", "16383")) else { return };
    let port = raw(&two, &["CONFIG", "GET", "cluster-port"]);
    let bus = port.lines().nth(1).unwrap();
    let met = raw(&one, &["CLUSTER", "MEET", "127.0.0.1", &two.port.to_string(), bus]);
    assert_eq!(met, "OK");
    for node in [&one, &two] {
        wait_for(node, "cluster_known_nodes:2");
        wait_for(node, "cluster_state:ok");
    }
    let shelf = open(&options(&one));
    let (mut here, mut elsewhere) = (0, 0);
    for name in ["alice", "bob", "carol", "dave", "eve", "frank", "grace", "heidi"] {
        let own = slot(&user(name), 1);
        let errors = match block_on(shelf.put(&[content(&own)])) {
            Ok(()) => {
                here += 1;
                assert_eq!(block_on(shelf.get(from_ref(&own))).unwrap(), [Some(told(&own))]);
                continue;
            }
            Err(error) => [error, block_on(shelf.get(&[own])).unwrap_err()],
        };
        elsewhere += 1;
        for error in errors {
            assert_eq!(error.kind(), ErrorKind::Configuration, "{error:?}");
            assert!(error.to_string().contains("has only some of the keys"), "{error}");
        }
    }
    assert!(here > 0 && elsewhere > 0, "{here} of them are here, and {elsewhere} elsewhere");
}
