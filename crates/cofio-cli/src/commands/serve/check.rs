use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

use cofio::{Error, ErrorKind, Result};

/// How long the server may take to answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// Asks the server that listens at an address whether it can answer.
pub fn check(addr: SocketAddr) -> Result<()> {
    let addr = here(addr);
    let failed = |message: String| Error::new(ErrorKind::Provider, message);
    match ask(addr) {
        Ok(line) if line.split(' ').nth(1) == Some("200") => Ok(()),
        Ok(_) => Err(failed(format!("the server at {addr} cannot answer now; see /readyz"))),
        Err(error) => Err(failed(format!("no server answers at {addr}: {error}"))),
    }
}

/// Returns the first line of what the server says of itself.
fn ask(addr: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&addr, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    write!(stream, "GET /readyz HTTP/1.1\r\nhost: {addr}\r\nconnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.take(4_096).read_to_string(&mut answer)?;
    Ok(answer.lines().next().unwrap_or_default().to_owned())
}

/// Returns where a server that listens at an address is reached from this machine.
fn here(mut addr: SocketAddr) -> SocketAddr {
    if addr.ip().is_unspecified() {
        addr.set_ip(match addr {
            SocketAddr::V4(_) => IpAddr::from(Ipv4Addr::LOCALHOST),
            SocketAddr::V6(_) => IpAddr::from(Ipv6Addr::LOCALHOST),
        });
    }
    addr
}
