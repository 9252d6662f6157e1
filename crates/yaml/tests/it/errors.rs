//! Where errors are and what they say.

use crate::{plain, template};
use serde::Deserialize;

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Study {
    name: String,
    #[serde(default)]
    variants: Vec<Variant>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Variant {
    id: u8,
    kind: Kind,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Conventional,
    Durable,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
enum Shape {
    #[expect(dead_code, reason = "only its errors are looked at")]
    Circle { radius: u8 },
}

fn study(text: &str) -> String {
    plain(text).unwrap().deserialize::<Study>().unwrap_err().to_string()
}

#[test]
fn a_document_becomes_a_type() {
    let study: Study = plain("name: a\nvariants:\n- {id: 1, kind: durable}\n").unwrap().deserialize().unwrap();
    assert_eq!(study, Study { name: "a".into(), variants: vec![Variant { id: 1, kind: Kind::Durable }] });
}

#[test]
fn mismatches_are_located() {
    assert_eq!(study("name: a\nvairants: []\n"), "x.yaml:2:1: unknown field `vairants`, did you mean `variants`?");
    assert_eq!(
        study("name: a\nvariants:\n  - id: 300\n    kind: durable\n"),
        "x.yaml:3:9: invalid value: integer `300`, expected u8"
    );
    assert_eq!(study("name: a\nvariants:\n  - id: 3\n"), "x.yaml:3:5: missing field `kind`");
    assert_eq!(study("variants: []\n"), "x.yaml:1:1: missing field `name`");
    assert_eq!(
        study("name: a\nvariants:\n  - {id: 1, kind: durabel}\n"),
        "x.yaml:3:19: unknown value `durabel`, did you mean `durable`?"
    );
    assert_eq!(study("name: [a]\n"), "x.yaml:1:7: invalid type: sequence, expected a string");
}

#[test]
fn fields_of_tagged_enums_are_located_too() {
    let shape = |text: &str| plain(text).unwrap().deserialize::<Vec<Shape>>().unwrap_err().to_string();
    assert_eq!(shape("- type: circle\n  radus: 1\n"), "x.yaml:2:3: unknown field `radus`, did you mean `radius`?");
    assert_eq!(shape("- type: circel\n"), "x.yaml:1:9: unknown value `circel`, did you mean `circle`?");
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Effect {
    Throttle,
    Delay { ms: u64 },
    Codes(Vec<u16>),
}

#[test]
fn enums_with_data_are_maps_of_one_key() {
    let read = |text: &str| plain(text).unwrap().deserialize::<Vec<Effect>>();
    let effects = read("- throttle\n- delay: {ms: 5}\n- codes: [500, 503]\n").unwrap();
    assert_eq!(effects, [Effect::Throttle, Effect::Delay { ms: 5 }, Effect::Codes(vec![500, 503])]);
    let error = |text: &str| read(text).unwrap_err().to_string();
    assert_eq!(error("- throttle\n- delay: {ms: soon}\n"), "x.yaml:2:15: invalid type: string \"soon\", expected u64");
    assert_eq!(error("- delay: {mss: 5}\n"), "x.yaml:1:11: unknown field `mss`, did you mean `ms`?");
    assert_eq!(error("- dealy: {ms: 5}\n"), "x.yaml:1:3: unknown value `dealy`, did you mean `delay`?");
}

#[test]
fn messages_stay_on_one_line() {
    let error = plain("\"a\\nb\": 1\n\"a\\nb\": 2\n").unwrap_err();
    assert_eq!(error.to_string(), "x.yaml:2:1: duplicate key `a b`, first on line 1");
}

#[test]
fn a_number_where_text_is_due_should_be_quoted() {
    let error = plain("name: 123456789012\n").unwrap().deserialize::<Study>().unwrap_err();
    assert_eq!(
        error.render(),
        "invalid type: integer `123456789012`, expected a string\n   ,-[x.yaml:1:7]\n 1 | name: 123456789012\n   :       ^^^^^^^^^^^^\n   `----\n  help: put it in quotes: \"123456789012\"\n"
    );
}

#[test]
fn digits_with_a_leading_zero_keep_their_text() {
    let document = plain("account: 012345670123\nquoted: \"012345670123\"\n").unwrap();
    let scalar = document.scalar("/account").unwrap();
    assert_eq!((scalar.text.as_str(), scalar.plain, scalar.line, scalar.column), ("012345670123", true, 1, 10));
    assert!(!document.scalar("/quoted").unwrap().plain);
    assert_eq!(document.value()["account"], "012345670123");
}

#[test]
fn duplicate_keys_are_refused_at_the_second() {
    let error = plain("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n").unwrap_err();
    assert_eq!(error.to_string(), "x.yaml:5:3: duplicate key `c`, first on line 3");
    assert_eq!(plain("\"a\": 1\na: 2\n").unwrap_err().to_string(), "x.yaml:2:1: duplicate key `a`, first on line 1");
}

#[test]
fn empty_double_and_broken_documents_are_refused() {
    for text in ["", "\n\n", "# nothing\n", "---\n", "\u{feff}"] {
        let error = plain(text).unwrap_err().to_string();
        assert!(error.ends_with(": the document is empty"), "{text:?}: {error}");
    }
    assert_eq!(
        plain("a: 1\n---\nb: 2\n").unwrap_err().to_string(),
        "x.yaml:2:1: a second document starts here; only one is read"
    );
    let broken = plain("a: [1, 2\nb: 3\n").unwrap_err();
    assert!(broken.to_string().starts_with("x.yaml:2:"), "{broken}");
    assert!(plain("a: !Ref b\n").unwrap_err().to_string().contains("the tag `!Ref` has no meaning here"));
    assert!(plain("a: &x {b: 1}\nc:\n  <<: *x\n").unwrap_err().to_string().contains("merge keys"));
}

#[test]
fn places_count_characters_and_follow_pointers() {
    let document = plain("größe: {ü: [eins, zwei]}\na/b: {c~d: 1}\n").unwrap();
    assert_eq!(document.at("/größe/ü/1", "here").to_string(), "x.yaml:1:19: here");
    assert_eq!(document.at_key("/größe/ü", "here").to_string(), "x.yaml:1:9: here");
    assert_eq!(document.at_key("/a~1b/c~0d", "here").to_string(), "x.yaml:2:7: here");
    assert_eq!(document.at("/größe/none/3", "here").to_string(), "x.yaml:1:8: here");
    let pointers: Vec<_> = document.scalars().map(|(pointer, _)| pointer).collect();
    assert_eq!(pointers, ["/größe/ü/0", "/größe/ü/1", "/a~1b/c~0d"]);
}

#[test]
fn places_inside_of_short_forms_are_those_of_their_text() {
    let document = template("r:\n  p: !GetAtt A.Arn\n").unwrap();
    assert_eq!(document.at("/r/p/Fn::GetAtt/1", "here").to_string(), "t.yaml:2:6: here");
    assert_eq!(document.at_key("/r/p", "here").to_string(), "t.yaml:2:3: here");
}

#[test]
fn drawings_carry_carets_context_and_help_but_no_escapes() {
    let document = plain("a: 1\nb:\n  c: \"x\"\n").unwrap();
    let drawn = document.at("/b/c", "wrong \u{1b}[31mvalue").with_help("write y").render();
    assert_eq!(
        drawn,
        "wrong ?[31mvalue\n   ,-[x.yaml:3:6]\n 2 | b:\n 3 |   c: \"x\"\n   :      ^^^\n   `----\n  help: write y\n"
    );
    let long = plain(&format!("a: {}\n", "x".repeat(5000))).unwrap();
    assert_eq!(long.at("/a", "too long").render(), "x.yaml:1:4: too long\n");
}
