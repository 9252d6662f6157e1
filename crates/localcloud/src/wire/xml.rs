//! XML, as far as the protocols need it.

use crate::error::ApiError;
use quick_xml::Reader;
use quick_xml::escape::escape;
use quick_xml::events::{BytesRef, Event};
use serde_json::{Map, Value};

/// Bound on nesting of documents that are read.
const MAX_DEPTH: usize = 32;

/// Writes elements one after the other.
#[derive(Debug)]
pub(super) struct Writer(String);

impl Default for Writer {
    fn default() -> Self {
        Self("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned())
    }
}

impl Writer {
    pub(super) fn open(&mut self, name: &str) {
        self.0.push('<');
        self.0.push_str(name);
        self.0.push('>');
    }

    /// Opens the root in a namespace.
    pub(super) fn open_in(&mut self, name: &str, namespace: &str) {
        self.0.push('<');
        self.0.push_str(name);
        self.0.push_str(" xmlns=\"");
        self.0.push_str(&escape(namespace));
        self.0.push_str("\">");
    }

    pub(super) fn close(&mut self, name: &str) {
        self.0.push_str("</");
        self.0.push_str(name);
        self.0.push('>');
    }

    /// An element with text; what XML 1.0 cannot carry becomes U+FFFD.
    pub(super) fn text(&mut self, name: &str, text: &str) {
        self.open(name);
        let text: String = text.chars().map(|c| if is_xml(c) { c } else { '\u{fffd}' }).collect();
        // A carriage return would be normalised away by the reader.
        self.0.push_str(&escape(&*text).replace('\r', "&#13;"));
        self.close(name);
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

/// "Characters" of XML 1.0, section 2.2.
fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// A scalar's text.
pub(super) fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        value => value.to_string(),
    }
}

/// Reads a document into `{root: …}`: an element with children becomes an object, one without its text; elements
/// of equal names become an array. Attributes are dropped.
pub(super) fn parse(body: &[u8]) -> Result<Value, ApiError> {
    let text = std::str::from_utf8(body).map_err(|_| malformed())?;
    let mut reader = Reader::from_str(text);
    let mut stack = vec![Element::default()];
    loop {
        match reader.read_event().map_err(|_| malformed())? {
            Event::Start(start) if stack.len() < MAX_DEPTH => {
                stack.push(Element::named(start.local_name().into_inner()));
            }
            Event::Empty(empty) => {
                let element = Element::named(empty.local_name().into_inner());
                stack.last_mut().ok_or_else(malformed)?.add(element);
            }
            Event::End(_) if stack.len() > 1 => {
                let element = stack.pop().ok_or_else(malformed)?;
                stack.last_mut().ok_or_else(malformed)?.add(element);
            }
            Event::Text(text) => stack.last_mut().ok_or_else(malformed)?.text.push_str(&text.xml10_content()),
            Event::CData(data) => stack.last_mut().ok_or_else(malformed)?.text.push_str(&data.xml10_content()),
            Event::GeneralRef(reference) => stack.last_mut().ok_or_else(malformed)?.text.push(resolve(&reference)?),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            Event::Eof if stack.len() == 1 => break,
            _ => return Err(malformed()),
        }
    }
    Ok(stack.pop().map_or(Value::Null, |root| Value::Object(root.children)))
}

#[derive(Default)]
struct Element {
    name: String,
    text: String,
    children: Map<String, Value>,
}

impl Element {
    fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    fn add(&mut self, child: Self) {
        let value = if child.children.is_empty() { Value::String(child.text) } else { Value::Object(child.children) };
        match self.children.get_mut(&child.name) {
            None => drop(self.children.insert(child.name, value)),
            Some(Value::Array(items)) => items.push(value),
            Some(first) => {
                let first_value = first.take();
                *first = Value::Array(vec![first_value, value]);
            }
        }
    }
}

fn resolve(reference: &BytesRef<'_>) -> Result<char, ApiError> {
    if let Ok(Some(c)) = reference.resolve_char_ref() {
        return Ok(c);
    }
    match &*reference.xml10_content() {
        "amp" => Ok('&'),
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "quot" => Ok('"'),
        "apos" => Ok('\''),
        _ => Err(malformed()),
    }
}

fn malformed() -> ApiError {
    ApiError::bad("MalformedXML", "The XML you provided was not well-formed or did not validate against our schema")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn elements_become_objects_lists_and_text() {
        let xml = b"<?xml version='1.0'?><T xmlns='x'><S><K>a &amp; b</K></S><S><K/></S><E>1</E></T>";
        assert_eq!(parse(xml).unwrap(), json!({ "T": { "S": [{ "K": "a & b" }, { "K": "" }], "E": "1" } }));
    }

    #[test]
    fn broken_and_deep_documents_are_refused() {
        for xml in ["<a>", "<a></b>", "<a>&unknown;</a>", "<!DOCTYPE a><a/>", &"<a>".repeat(100)] {
            assert_eq!(parse(xml.as_bytes()).unwrap_err().code, "MalformedXML", "{xml}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_parsed(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
        }

        #[test]
        fn any_tags_can_be_parsed(text in "[<>/a-c&;!\\[\\]'\"= ]{0,60}") {
            let _ = parse(text.as_bytes());
        }

        #[test]
        fn text_survives_writing_and_reading(text in "[^\u{0}-\u{8}\u{b}\u{c}\u{e}-\u{1f}\u{fffe}\u{ffff}]{0,60}") {
            let mut writer = Writer::default();
            writer.text("a", &text);
            prop_assert_eq!(parse(writer.finish().as_bytes()).unwrap(), json!({ "a": text }));
        }
    }
}
