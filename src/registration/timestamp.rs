//! RFC 3161 timestamps. Query and verification are left to `openssl ts`; the query travels over plain HTTP, which is
//! what timestamp authorities offer: the token is signed, the way is not.

use crate::exit::Failure;
use evidence::digest::Digest;
use std::io::{Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Files of a timestamp in a registration's folder.
const QUERY: &str = "timestamp.tsq";
pub(super) const REPLY: &str = "timestamp.tsr";
pub(super) const CA: &str = "tsa-ca.pem";
/// Bound of each wait for the authority.
const PATIENCE: Duration = Duration::from_secs(20);
/// Largest reply, bytes.
const MAX_REPLY: u64 = 1 << 20;

/// A timestamp authority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    /// `http://host[:port][/path]`.
    pub url: String,
    /// PEM file with the certificates that its tokens are checked against.
    pub ca: PathBuf,
}

/// Asks for a token over `identity`, checks it and keeps it in `folder`. Gives its time, milliseconds.
pub(super) fn stamp(authority: &Authority, identity: &Digest, folder: &Path) -> Result<i64, Failure> {
    let ca = folder.join(CA);
    std::fs::copy(&authority.ca, &ca).map_err(|e| Failure::io("read", &authority.ca, &e))?;
    let (query, reply) = (folder.join(QUERY), folder.join(REPLY));
    let out = query.display().to_string();
    openssl(&["-query", "-digest", &identity.to_string(), "-sha256", "-cert", "-out", &out])?;
    let bytes = std::fs::read(&query).map_err(|e| Failure::io("read", &query, &e))?;
    let answer = post(&authority.url, &bytes)?;
    evidence::atomic::write(&reply, &answer).map_err(|e| Failure::io("write", &reply, &e))?;
    verified(identity, folder)?
        .ok_or_else(|| Failure::Internal(format!("{} is not there although it was written", reply.display())))
}

/// Time of the folder's token, if it has one; a token that does not verify is a failure.
pub(super) fn verified(identity: &Digest, folder: &Path) -> Result<Option<i64>, Failure> {
    verified_under(identity, folder, &folder.join(CA))
}

/// As [`verified`], against the certificates in `ca`.
pub(super) fn verified_under(identity: &Digest, folder: &Path, ca: &Path) -> Result<Option<i64>, Failure> {
    let reply = folder.join(REPLY);
    if !reply.is_file() {
        return Ok(None);
    }
    let (token, ca) = (reply.display().to_string(), ca.display().to_string());
    openssl(&["-verify", "-digest", &identity.to_string(), "-in", &token, "-CAfile", &ca])
        .map_err(|e| Failure::Unverified(format!("{token} does not verify over {identity}: {e}\nuse the token and the certificates as the authority gave them, or register anew")))?;
    let text = openssl(&["-reply", "-in", &token, "-text"])?;
    let stamped = text.lines().find_map(|line| line.strip_prefix("Time stamp: "));
    let time = stamped.and_then(time_ms);
    time.map(Some).ok_or_else(|| Failure::Unverified(format!("{token} tells no time: {stamped:?}")))
}

fn openssl(arguments: &[&str]) -> Result<String, Failure> {
    let output = Command::new("openssl").arg("ts").args(arguments).stdin(Stdio::null()).output();
    let output = output.map_err(|e| {
        Failure::Usage(format!("openssl did not start: {e}; timestamps need it, install it or leave --tsa out"))
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = reasons(&String::from_utf8_lossy(&output.stderr));
    Err(Failure::Refused(format!("openssl ts {}: {said}", arguments.first().unwrap_or(&""))))
}

/// What OpenSSL says went wrong, without its numbers, its functions and where its configuration is. A line of its error
/// queue is `thread:error:code:library:function:reason:file:line:` (`ERR_print_errors`).
fn reasons(stderr: &str) -> String {
    let queued = stderr.lines().filter(|line| line.contains(":error:"));
    let mut reasons: Vec<&str> = queued.filter_map(|line| line.split(':').nth(5)).filter(|r| !r.is_empty()).collect();
    reasons.dedup();
    let rest =
        || stderr.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("Using configuration"));
    if reasons.is_empty() { rest().unwrap_or("no reason given").to_owned() } else { reasons.join(", ") }
}

/// `Nov 30 21:50:00.123 2026 GMT`; a fraction rounds up, so that the time is never told too early.
fn time_ms(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let words: Vec<&str> = text.split_whitespace().collect();
    let [month, day, clock, year, "GMT"] = words.as_slice() else { return None };
    let month = MONTHS.iter().position(|name| name == month)? + 1;
    let (clock, fraction) = clock.split_once('.').map_or((*clock, false), |(clock, _)| (clock, true));
    let stamp: jiff::Timestamp = format!("{year}-{month:02}-{day:0>2}T{clock}Z").parse().ok()?;
    let stamp = stamp.as_millisecond();
    Some(if fraction { stamp + 999 } else { stamp })
}

/// One HTTP/1.0 exchange: no keep-alive, no chunks.
fn post(url: &str, body: &[u8]) -> Result<Vec<u8>, Failure> {
    let unusable = |why: &str| Failure::Usage(format!("--tsa {url}: {why}"));
    let rest = url.strip_prefix("http://").ok_or_else(|| {
        unusable("only http:// is spoken; use the authority's http:// address, which is safe because the token itself is signed")
    })?;
    let (host, path) = rest.split_once('/').map_or((rest, String::new()), |(host, path)| (host, path.to_owned()));
    let at = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
    let address = at.to_socket_addrs().ok().and_then(|mut all| all.next()).ok_or_else(|| unusable("unknown host"))?;
    let exchange = || -> std::io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let length = body.len();
        let head = format!(
            "POST /{path} HTTP/1.0\r\nHost: {host}\r\nContent-Type: application/timestamp-query\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        let mut answer = Vec::new();
        stream.take(MAX_REPLY).read_to_end(&mut answer)?;
        Ok(answer)
    };
    let answer = exchange().map_err(|e| Failure::Refused(format!("timestamp authority {url}: {e}; try again")))?;
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n");
    let refused = |why: &str| Failure::Refused(format!("timestamp authority {url}: {why}"));
    let end = end.ok_or_else(|| refused("not an HTTP answer"))?;
    let status = String::from_utf8_lossy(&answer[..end]).lines().next().unwrap_or_default().to_owned();
    match status.split_whitespace().nth(1) {
        Some("200") => Ok(answer[end + 4..].to_vec()),
        _ => Err(refused(&status)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openssls_reasons_are_told_without_its_numbers_and_places() {
        let queued = "Using configuration from /usr/lib/ssl/openssl.cnf\n4047:error:1:asn1 routines:read:not enough data:a.c:218:\n\
                      4047:error:2:ts routines:verify:message imprint mismatch:b.c:9:\n";
        assert_eq!(reasons(queued), "not enough data, message imprint mismatch");
        assert_eq!(reasons("Using configuration from x\nCould not open file\n"), "Could not open file");
        assert_eq!(reasons(""), "no reason given");
    }

    #[test]
    fn reads_the_time_that_openssl_prints() {
        assert_eq!(time_ms("Nov 30 21:50:00 2026 GMT"), Some(1_796_075_400_000));
        assert_eq!(time_ms("Nov  3 01:02:03 2026 GMT").map(|ms| ms % 1000), Some(0));
        assert_eq!(time_ms("Nov 30 21:50:00.25 2026 GMT"), Some(1_796_075_400_999));
        assert_eq!(time_ms("unspecified"), None);
    }

    #[test]
    fn only_plain_http_is_spoken() {
        let failure = post("https://tsa.example", b"").expect_err("refused");
        assert!(failure.to_string().contains("only http://"), "{failure}");
    }
}
