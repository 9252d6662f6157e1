//! `assay preregister`: sealed, stamped by a local authority, and compared before a run.

use crate::sample::{assay, oracle, run};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

const AUTHORITY: &str = "
[req]
distinguished_name = dn
prompt = no
x509_extensions = v3
[dn]
CN = test authority
[v3]
extendedKeyUsage = critical,timeStamping
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
[tsa]
default_tsa = one
[one]
dir = .
serial = ./serial
crypto_device = builtin
signer_cert = ./ca.pem
certs = ./ca.pem
signer_key = ./key.pem
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ordering = yes
tsa_name = no
ess_cert_id_chain = no
";

fn openssl(folder: &Path, arguments: &[&str]) {
    let output = Command::new("openssl").args(arguments).current_dir(folder).output().expect("openssl");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Answers one query with `openssl ts -reply`.
fn serve(listener: &TcpListener, folder: &Path) {
    let (mut stream, _) = listener.accept().expect("a query");
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    let body = loop {
        let n = stream.read(&mut buffer).expect("read");
        request.extend_from_slice(&buffer[..n]);
        let Some(end) = request.windows(4).position(|w| w == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&request[..end]).into_owned();
        let length: usize =
            head.lines().find_map(|l| l.strip_prefix("Content-Length: ")).expect("length").parse().expect("number");
        if request.len() >= end + 4 + length {
            break request[end + 4..].to_vec();
        }
    };
    std::fs::write(folder.join("q.tsq"), body).expect("write");
    openssl(folder, &["ts", "-reply", "-config", "tsa.cnf", "-section", "one", "-queryfile", "q.tsq", "-out", "r.tsr"]);
    let reply = std::fs::read(folder.join("r.tsr")).expect("reply");
    let head = format!("HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n", reply.len());
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&reply)).expect("answer");
}

fn command(tool: &Path) -> Command {
    let mut command = assay();
    command.env("ASSAY_ORACLE", tool).env("ASSAY_BOOTSTRAP", tool);
    command
}

#[test]
fn a_registration_is_sealed_stamped_and_stops_a_run_that_is_something_else() {
    // Any program of this machine does as the artifact: nothing is run here.
    let Some(oracle) = oracle() else { return eprintln!("no oracle binary was built; nothing tested") };
    let folder = tempfile::tempdir().expect("folder");
    let place = folder.path().to_owned();
    std::fs::write(place.join("tsa.cnf"), AUTHORITY).expect("write");
    std::fs::write(place.join("serial"), "01\n").expect("write");
    let make = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "ca.pem", "-days", "2"];
    openssl(&place, &[&make[..], &["-config", "tsa.cnf"]].concat());
    let listener = TcpListener::bind("127.0.0.1:0").expect("port");
    let url = format!("http://{}/tsr", listener.local_addr().expect("address"));
    let server = std::thread::spawn({
        let place = place.clone();
        move || serve(&listener, &place)
    });
    let out = place.join("reg");
    let mut register = command(&oracle);
    register.args(["preregister", "protocols/study-1.yaml", "--timing", "rehearsal", "--local", "--tsa", &url]);
    let said = run(register.arg("--tsa-ca").arg(place.join("ca.pem")).arg("--out").arg(&out), 0);
    server.join().expect("authority");
    assert!(said.contains("by the timestamp authority") && said.contains("git tag -a registration/study-1-"), "{said}");
    run(assay().arg("verify").arg(out.join("registration")), 0);
    let sealed: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("registration/registration.json")).expect("read"))
            .expect("JSON");
    assert_eq!(sealed["trials"], 4);
    assert_eq!(sealed["predictions"].as_array().map(Vec::len), Some(4));
    assert!(!sealed["stop_rule"].as_str().expect("rule").is_empty());

    let runs = place.join("runs");
    let mut other = command(&oracle);
    other.args(["rehearse", "--variant", "durable", "--registration"]).arg(&out).arg("--runs").arg(&runs);
    let said = run(&mut other, 64);
    assert!(said.contains("this is not what was registered") && said.contains("plan_digest: registered"), "{said}");
    assert!(!runs.exists(), "nothing was made");

    let said = run(command(&oracle).args(["preregister", "protocols/study-1.yaml", "--local", "--out"]).arg(&out), 64);
    assert!(said.contains("never replaced"), "{said}");

    the_timestamp_of_a_run_is_checked_again(&out, &place);
    std::fs::write(out.join("tsa-ca.pem"), "").expect("write");
    let mut unstamped = command(&oracle);
    unstamped.args(["rehearse", "--registration"]).arg(&out).arg("--runs").arg(&runs);
    let said = run(&mut unstamped, 30);
    assert!(said.contains("does not verify"), "{said}");
}

/// A run's folder with a registration and its token, as `assay run --registration` keeps them.
fn the_timestamp_of_a_run_is_checked_again(out: &Path, place: &Path) {
    let sample = crate::sample::Sample::new();
    let kept = sample.run().join("registration");
    let copied = Command::new("cp").arg("-r").arg(out).arg(&kept).status().expect("cp");
    assert!(copied.success());
    let identity = evidence::package::Sealed::open(&kept.join("registration")).expect("sealed");
    let token = ["ts", "-reply", "-in", "timestamp.tsr", "-text"];
    let text = Command::new("openssl").args(token).current_dir(&kept).output().expect("openssl").stdout;
    let stamp = String::from_utf8_lossy(&text).lines().find_map(|l| l.strip_prefix("Time stamp: ").map(str::to_owned));
    let at = Command::new("date").args(["-u", "-d", &stamp.expect("time"), "+%s"]).output().expect("date").stdout;
    let seconds: i64 = String::from_utf8_lossy(&at).trim().parse().expect("seconds");
    let adopt = |ms: i64| {
        let adopted = serde_json::json!({
            "identity": identity.identity(), "sealed_at_ms": 1, "third_party_ms": ms,
            "oracle_source_sha256": "", "differences": [],
        });
        std::fs::write(kept.join("adopted.json"), adopted.to_string()).expect("write");
    };
    adopt(seconds * 1000);
    let said = run(assay().arg("verify").arg(sample.run()), 0);
    assert!(said.contains("a third party saw the registration at") && said.contains("--tsa-ca FILE"), "{said}");
    let said = run(assay().arg("verify").arg(sample.run()).arg("--tsa-ca").arg(place.join("ca.pem")), 0);
    assert!(said.contains("under the certificates in") && !said.contains("came with the run"), "{said}");
    let archive = sample.path("stamped.tar.gz");
    run(assay().arg("publish").arg(sample.run()).arg("--out").arg(&archive), 0);
    let said = run(assay().arg("verify").arg(&archive), 0);
    assert!(said.contains("a third party saw the registration at"), "{said}");

    adopt(seconds * 1000 - 86_400_000);
    let said = run(assay().arg("verify").arg(sample.run()), 30);
    assert!(said.contains("timestamp.tsr: ") && said.contains("the run tells the time"), "{said}");
    adopt(seconds * 1000);
    std::fs::write(kept.join("timestamp.tsr"), b"no token").expect("write");
    let said = run(assay().arg("verify").arg(sample.run()), 30);
    assert!(said.contains("does not verify"), "{said}");
}
