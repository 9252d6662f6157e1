//! Whether a local cloud is still there. It ends with its process, and everything in it does.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A listener on this machine answers at once or not at all.
const PATIENCE: Duration = Duration::from_millis(500);

/// Whether nothing listens at this endpoint any more. False for everything that is not an address of this machine, and
/// whenever it cannot be told: a service elsewhere may only be out of reach.
#[must_use]
pub fn is_gone(endpoint: &str) -> bool {
    let address = endpoint.strip_prefix("http://").unwrap_or_default().trim_end_matches('/').parse::<SocketAddr>();
    let Some(address) = address.ok().filter(|address| address.ip().is_loopback()) else { return false };
    TcpStream::connect_timeout(&address, PATIENCE).is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
}

#[cfg(test)]
mod tests {
    use super::is_gone;
    use std::net::TcpListener;

    #[test]
    fn only_a_closed_port_of_this_machine_is_gone() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let endpoint = format!("http://{}", listener.local_addr().expect("address"));
        assert!(!is_gone(&endpoint));
        drop(listener);
        assert!(is_gone(&endpoint) && is_gone(&format!("{endpoint}/")));
        for elsewhere in ["http://192.0.2.1:1", "https://sqs.us-east-1.amazonaws.com", "http://localhost:1", ""] {
            assert!(!is_gone(elsewhere), "{elsewhere}");
        }
    }
}
