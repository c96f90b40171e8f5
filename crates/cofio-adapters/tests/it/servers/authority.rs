//! Certificates of authorities that tests make up, and servers that show them.

#[cfg(any(feature = "chroma", feature = "mem0", feature = "qdrant"))]
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

#[cfg(any(feature = "chroma", feature = "mem0", feature = "qdrant"))]
use super::instance::Instance;

/// An authority, and a certificate that it has signed for a name.
pub struct Authority {
    folder: TempDir,
}

impl Authority {
    pub fn signing(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let authority = Self { folder };
        let file = |name: &str| authority.file(name).display().to_string();
        let new = ["req", "-newkey", "rsa:2048", "-nodes", "-subj"];
        let own = ["-x509", "-days", "2", "-keyout", &file("ca.key"), "-out", &file("ca.pem")];
        openssl(&[&new[..], &["/CN=Test authority"], &own].concat());
        let asking = ["-keyout", &file("key.pem"), "-out", &file("asking.pem")];
        openssl(&[&new[..], &["/CN=test"], &asking].concat());
        std::fs::write(file("names"), format!("subjectAltName={name}\n")).unwrap();
        openssl(&[
            "x509",
            "-req",
            "-days",
            "2",
            "-in",
            &file("asking.pem"),
            "-CA",
            &file("ca.pem"),
            "-CAkey",
            &file("ca.key"),
            "-CAcreateserial",
            "-extfile",
            &file("names"),
            "-out",
            &file("certificate.pem"),
        ]);
        authority
    }

    /// Returns where something of it is: `ca.pem`, `certificate.pem`, `key.pem`.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

fn openssl(arguments: &[&str]) {
    let output = Command::new("openssl").args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Starts something that speaks TLS with a certificate of its own making, and nothing else.
#[cfg(any(feature = "chroma", feature = "mem0", feature = "qdrant"))]
pub fn stranger(more: &'static [&'static str]) -> (Instance, Authority) {
    let authority = Authority::signing("IP:127.0.0.1");
    let [key, certificate] = ["key.pem", "certificate.pem"].map(|name| authority.file(name));
    let server = Instance::start(move |port, _: &Path| {
        let mut command = Command::new("openssl");
        command.args(["s_server", "-quiet", "-accept", &port.to_string()]).args(more);
        command.arg("-key").arg(&key).arg("-cert").arg(&certificate);
        command
    });
    (server, authority)
}
