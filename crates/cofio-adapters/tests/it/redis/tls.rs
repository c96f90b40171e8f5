//! Encrypted connections, whose certificates are checked.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::slice::from_ref;
use std::sync::Arc;
use std::time::Duration;

use cofio::ErrorKind;
use cofio::shelf::{Shelf, Status};
use cofio_adapters::redis::Options;
use pollster::block_on;

use super::{DURABLE, SERVER, open};
use crate::servers::authority::Authority;
use crate::servers::instance::Instance;
use crate::shelves::{content, faults, provisioned, slot, told, user};

/// Starts a server that speaks TLS alone, unless there is none to start.
fn start(authority: &Authority) -> Option<Instance> {
    let program = provisioned(SERVER)?;
    let [key, own, signer] =
        ["key.pem", "certificate.pem", "ca.pem"].map(|name| authority.file(name));
    Some(Instance::start(move |port, folder: &Path| {
        let mut command = Command::new(&program);
        command.args(["--bind", "127.0.0.1", "--port", "0", "--tls-port", &port.to_string()]);
        command.args(["--tls-auth-clients", "no", "--save", ""]).args(DURABLE);
        command.arg("--dir").arg(folder).arg("--tls-key-file").arg(&key);
        command.arg("--tls-cert-file").arg(&own).arg("--tls-ca-cert-file").arg(&signer);
        command
    }))
}

fn options(port: u16) -> Options {
    Options::new(format!("rediss://cofio:my-secret@127.0.0.1:{port}"))
}

/// Looks whether a server is refused for its certificate, at once and whoever asks.
fn refuses(port: u16) {
    let shelf = open(&options(port));
    let error = block_on(shelf.health()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration, "{error:?}");
    let address = format!("cannot reach redis at 127.0.0.1:{port}");
    assert!(error.to_string().starts_with(&address), "{error}");
    assert!(error.to_string().ends_with("nobody vouches for its certificate"), "{error}");
    assert!(!format!("{error:?}").contains("my-secret"), "{error:?}");
    let guarded = faults::guarded(Arc::new(shelf), Duration::from_secs(10));
    let error = block_on(guarded.put(&[content(&slot(&user("alice"), 1))])).unwrap_err();
    assert_eq!(error.details()["attempts"], 1, "what cannot pass is not tried again");
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused() {
    let Some(server) = start(&Authority::signing("IP:127.0.0.1")) else { return };
    refuses(server.port);
}

/// The port of a server whose authority the process trusts, where a test is run for that.
const TRUSTED: &str = "COFIO_TEST_REDIS_TRUSTED";
const MISNAMED: &str = "COFIO_TEST_REDIS_MISNAMED";

/// Which authorities are trusted is settled once for a process, so it is one of its own.
#[test]
fn a_certificate_of_a_trusted_authority_is_taken_for_its_own_name() {
    let port = |variable| std::env::var(variable).ok().map(|port| port.parse().unwrap());
    if let Some((trusted, misnamed)) = port(TRUSTED).zip(port(MISNAMED)) {
        return trusts(trusted, misnamed);
    }
    let (ours, elsewhere) =
        (Authority::signing("IP:127.0.0.1"), Authority::signing("DNS:somewhere.else"));
    let (Some(server), Some(other)) = (start(&ours), start(&elsewhere)) else { return };
    let both = [ours.file("ca.pem"), elsewhere.file("ca.pem")];
    let authorities = ours.file("authorities.pem");
    let read = |file: &PathBuf| std::fs::read_to_string(file).unwrap();
    std::fs::write(&authorities, both.each_ref().map(read).concat()).unwrap();
    let mut again = Command::new(std::env::current_exe().unwrap());
    let name = "redis::tls::a_certificate_of_a_trusted_authority_is_taken_for_its_own_name";
    again.args(["--exact", name, "--nocapture"]).env("SSL_CERT_FILE", &authorities);
    again.env(TRUSTED, server.port.to_string()).env(MISNAMED, other.port.to_string());
    let output = again.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
}

fn trusts(trusted: u16, misnamed: u16) {
    let shelf = open(&Options { url: format!("rediss://127.0.0.1:{trusted}"), ..options(trusted) });
    let own = slot(&user("alice"), 1);
    block_on(shelf.put(&[content(&own)])).unwrap();
    assert_eq!(block_on(shelf.get(from_ref(&own))).unwrap(), [Some(told(&own))]);
    assert_eq!(block_on(shelf.health()).unwrap().status, Status::Healthy);
    refuses(misnamed);
}
