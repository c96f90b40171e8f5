//! The server over HTTP as a process.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::machine::{Machine, complaint};

#[cfg(unix)]
#[test]
fn it_says_where_it_listens_answers_and_ends_by_a_signal() {
    let machine = Machine::new();
    let mut command = machine.command();
    command.args(["serve", "--addr", "127.0.0.1:0"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening at http://").unwrap();

    let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 200 OK") && answer.contains("long-term memory"),
        "{answer}"
    );

    let checked = machine.run(&format!("serve --addr {address} --check"));
    assert!(checked.status.success(), "{checked:?}");

    let start = Instant::now();
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(sent.success() && child.wait().unwrap().success());
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn it_listens_on_this_machine_only() {
    let machine = Machine::new();
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        let (told, code) = complaint(&machine.run(&format!("serve --addr {address}")));
        assert!(code == 2 && told.contains("cofio key create"), "{code} {told}");
    }
    let (told, code) = complaint(&machine.run("serve --addr nowhere"));
    assert!(code == 2 && told.contains("--addr"), "{told}");
    // Nobody has port 1.
    let (told, code) = complaint(&machine.run("serve --addr 127.0.0.1:1 --check"));
    assert!(code == 5 && told.contains("no server answers at 127.0.0.1:1"), "{code} {told}");
    let (told, code) = complaint(&machine.run("serve --profile dreams"));
    assert!(code == 2 && told.contains("known: core, simple"), "{told}");
}
