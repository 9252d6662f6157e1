//! Another account behind the endpoint that a run is pinned to.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Answers every request with somebody else's identity and keeps what was asked. It ends with the test's process.
pub(crate) fn impostor(endpoint: &str, account: &'static str) -> Arc<Mutex<Vec<String>>> {
    let listener = TcpListener::bind(endpoint.trim_start_matches("http://")).expect("the cloud's own address");
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if let Some(request) = answer(stream, account) {
                log.lock().expect("no panic").push(request);
            }
        }
    });
    asked
}

/// One request in, one identity out; gives the request's action, or that it was another kind of request.
fn answer(mut stream: TcpStream, account: &str) -> Option<String> {
    let text = request(&mut stream)?;
    let body = format!(
        "<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::{account}:user/u</Arn>\
         <UserId>u</UserId><Account>{account}</Account></GetCallerIdentityResult></GetCallerIdentityResponse>"
    );
    let length = body.len();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/xml\r\nconnection: close";
    // Whether the answer arrives is the other side's matter; that it was asked counts.
    let _ = stream.write_all(format!("{head}\r\ncontent-length: {length}\r\n\r\n{body}").as_bytes());
    let action = text.split("Action=").nth(1).and_then(|rest| rest.split('&').next());
    Some(action.unwrap_or("another").to_owned())
}

/// A whole request; none if the other side left before its head was complete.
fn request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4_096];
    loop {
        let read = stream.read(&mut buffer).unwrap_or_default();
        bytes.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let whole = text.split_once("\r\n\r\n").map(|(head, body)| body.len() >= length_of(head));
        match whole {
            Some(true) => return Some(text),
            _ if read == 0 => return whole.map(|_| text),
            _ => {}
        }
    }
}

fn length_of(head: &str) -> usize {
    let lengths = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    lengths.filter_map(|(_, value)| value.trim().parse().ok()).next().unwrap_or_default()
}
