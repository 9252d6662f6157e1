//! What is too much is refused, quickly.

use crate::plain;
use std::time::{Duration, Instant};
use yaml::{Dialect, Document, Limits};

fn refused(text: &str) -> String {
    let start = Instant::now();
    let error = plain(text).unwrap_err().to_string();
    assert!(start.elapsed() < Duration::from_secs(5), "took {:?}", start.elapsed());
    error
}

#[test]
fn bytes() {
    assert_eq!(
        refused(&format!("a: {}", "x".repeat(1 << 20))),
        "x.yaml:1:1: 1048579 bytes are more than the 1048576 allowed"
    );
}

#[test]
fn depth() {
    assert_eq!(refused(&"[".repeat(100_000)), "x.yaml:1:256: not YAML: recursion limit exceeded");
    assert!(refused(&"[".repeat(100)).contains("nested deeper than 64 levels"));
    assert!(refused(&"- ".repeat(100_000)).contains("nested deeper than 64 levels"));
    assert!(plain(&format!("{}{}", "[".repeat(64), "]".repeat(64))).is_ok());
    let stacked: String =
        (0..40).fold("a0: &a0 [[x]]\n".into(), |text, n| format!("{text}a{}: &a{} [[*a{n}]]\n", n + 1, n + 1));
    assert!(refused(&stacked).contains("nested deeper than 64 levels"));
}

#[test]
fn nodes() {
    assert!(refused(&format!("[{}]", "1,".repeat(100_001))).contains("more than 100000 values"));
}

#[test]
fn alias_bombs() {
    let mut laughs = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for n in 1..9 {
        let before = format!("*a{}", n - 1);
        laughs.push_str(&format!("a{n}: &a{n} [{}]\n", [before.as_str(); 9].join(", ")));
    }
    assert!(refused(&laughs).contains("more than 100000 values"));
    let fat = format!("a: &a {}\nb: [{}]\n", "x".repeat(500_000), "*a, ".repeat(90_000));
    assert!(refused(&fat).contains("aliases expand to too much text"));
    assert!(refused("a: &a [*a]\n").contains("inside of what it refers to"));
    assert!(refused("a: *nothing\n").starts_with("x.yaml:1:4: not YAML"));
}

#[test]
fn pointers() {
    let key = "k".repeat(4000);
    let nested = (0..60).fold(String::new(), |text, _| format!("{text}{{{key}: "));
    let text = format!("{nested}[{}]{}", "1,".repeat(90_000), "}".repeat(60));
    assert!(refused(&text).contains("long keys"));
}

#[test]
fn bounds_are_the_callers() {
    let limits = Limits { max_bytes: 10, max_depth: 1, max_nodes: 3 };
    let parse = |text| Document::parse("x.yaml", text, Dialect::Plain, limits);
    assert!(parse("[1, 2]").is_ok());
    assert!(parse("[1, 2, 3]").is_err());
    assert!(parse("[[1]]").is_err());
    assert!(parse("[1,      2]").is_err());
}
