//! Encrypted connections, whose certificates are checked.
//!
//! The server that tests start knows no TLS, so that something in front of it takes it off, as in
//! front of many.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use cofio_adapters::postgres::{PostgresOptions, PostgresStore};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::place::Place;
use super::world::{engine, remember, search};
use crate::servers::authority::Authority;

/// Takes TLS off in front of a server, and returns the port.
fn guard(authority: &Authority, server: &str) -> u16 {
    let certificate = CertificateDer::from_pem_file(authority.file("certificate.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(authority.file("key.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let (config, server) = (Arc::new(config), server.to_owned());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let (config, server) = (Arc::clone(&config), server.clone());
            thread::spawn(move || take_off(client, &server, config));
        }
    });
    port
}

/// Passes on in the clear what comes encrypted, and back, until either side ends.
fn take_off(mut client: TcpStream, server: &str, config: Arc<ServerConfig>) {
    // A client asks for TLS in eight bytes, and one says yes.
    let mut asked = [0; 8];
    if client.read_exact(&mut asked).is_err() || client.write_all(b"S").is_err() {
        return;
    }
    let mut server = TcpStream::connect(server).unwrap();
    for stream in [&client, &server] {
        stream.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
    }
    let mut client = StreamOwned::new(ServerConnection::new(config).unwrap(), client);
    while pass_on(&mut client, &mut server) && pass_on(&mut server, &mut client) {}
}

/// Passes on what is there, and returns whether more may come.
fn pass_on(from: &mut impl Read, to: &mut impl Write) -> bool {
    let mut buffer = [0; 16_384];
    match from.read(&mut buffer) {
        Ok(0) => false,
        Ok(read) => to.write_all(&buffer[..read]).and_then(|()| to.flush()).is_ok(),
        Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
    }
}

/// Opens a store by TLS, trusting whom a file names.
fn open(place: &Place, port: u16, trusted: &Path) -> cofio::Result<PostgresStore> {
    let server = place.options.url.split(['@', '/']).nth(3).unwrap();
    let url = place.options.url.replacen(server, &format!("127.0.0.1:{port}"), 1);
    PostgresStore::open(&PostgresOptions {
        url: format!("{url}&sslmode=require"),
        root_certificates: Some(trusted.to_owned()),
        ..place.options.clone()
    })
}

#[test]
fn a_certificate_counts_if_a_trusted_authority_has_signed_it_for_this_server() {
    let Some(place) = Place::new() else { return };
    let server = place.options.url.split(['@', '/']).nth(3).unwrap().to_owned();
    let (ours, another) = (Authority::signing("IP:127.0.0.1"), Authority::signing("IP:127.0.0.1"));
    let elsewhere = Authority::signing("DNS:somewhere.else");
    let port = guard(&ours, &server);
    let store = Arc::new(open(&place, port, &ours.file("ca.pem")).unwrap());
    let by_tls = engine(&store);
    remember(&by_tls, "alice", "the zebra under cover").unwrap();
    assert_eq!(search(&by_tls, "alice", "zebra").unwrap(), ["the zebra under cover"]);

    let other_name = guard(&elsewhere, &server);
    for (port, trusted) in [(port, &another), (other_name, &elsewhere)] {
        let error = open(&place, port, &trusted.file("ca.pem")).unwrap_err();
        assert!(error.to_string().contains("TLS"), "{error:?}");
        assert!(!format!("{error:?}").contains("only-for-tests"), "{error:?}");
    }
    let error = open(&place, port, &ours.file("names")).unwrap_err();
    assert_eq!(error.kind(), cofio::ErrorKind::Configuration, "no certificate is in this file");
}
