//! Whether a condition holds for an item.

use super::super::number::Decimal;
use super::super::value::{Attr, Item};
use super::condition::{Comparator, Condition, Operand};
use std::borrow::Cow;
use std::cmp::Ordering;

/// Evaluates a condition; an item that is not there has no attributes.
pub(in super::super) fn holds(condition: &Condition, item: &Item) -> bool {
    match condition {
        Condition::Or(parts) => parts.iter().any(|part| holds(part, item)),
        Condition::And(parts) => parts.iter().all(|part| holds(part, item)),
        Condition::Not(inner) => !holds(inner, item),
        Condition::Compare(left, comparator, right) => compare(resolve(left, item), *comparator, resolve(right, item)),
        Condition::Between(value, low, high) => {
            let value = resolve(value, item);
            compare(value.clone(), Comparator::Ge, resolve(low, item))
                && compare(value, Comparator::Le, resolve(high, item))
        }
        Condition::In(value, list) => {
            let value = resolve(value, item);
            list.iter().any(|other| compare(value.clone(), Comparator::Eq, resolve(other, item)))
        }
        Condition::Exists(path) => path.get(item).is_some(),
        Condition::NotExists(path) => path.get(item).is_none(),
        Condition::Type(path, kind) => path.get(item).is_some_and(|value| value.kind() == kind),
        Condition::BeginsWith(value, prefix) => match (resolve(value, item), resolve(prefix, item)) {
            (Some(value), Some(prefix)) => begins_with(&value, &prefix),
            _ => false,
        },
        Condition::Contains(value, part) => match (resolve(value, item), resolve(part, item)) {
            (Some(value), Some(part)) => contains(&value, &part),
            _ => false,
        },
    }
}

fn resolve<'a>(operand: &'a Operand, item: &'a Item) -> Option<Cow<'a, Attr>> {
    match operand {
        Operand::Path(path) => path.get(item).map(Cow::Borrowed),
        Operand::Value(value) => Some(Cow::Borrowed(value)),
        Operand::Size(path) => {
            let size = size(path.get(item)?)?;
            size.to_string().parse::<Decimal>().ok().map(|size| Cow::Owned(Attr::N(size)))
        }
    }
}

fn compare(left: Option<Cow<'_, Attr>>, comparator: Comparator, right: Option<Cow<'_, Attr>>) -> bool {
    // What is missing differs from everything.
    let (Some(left), Some(right)) = (left, right) else { return comparator == Comparator::Ne };
    let order = order(&left, &right);
    match comparator {
        Comparator::Eq => left == right,
        Comparator::Ne => left != right,
        Comparator::Lt => order == Some(Ordering::Less),
        Comparator::Gt => order == Some(Ordering::Greater),
        Comparator::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Comparator::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}

/// Only strings (by UTF-8 bytes), numbers and binaries have an order, each with its own kind.
fn order(left: &Attr, right: &Attr) -> Option<Ordering> {
    match (left, right) {
        (Attr::S(left), Attr::S(right)) => Some(left.cmp(right)),
        (Attr::N(left), Attr::N(right)) => Some(left.cmp(right)),
        (Attr::B(left), Attr::B(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

fn begins_with(value: &Attr, prefix: &Attr) -> bool {
    match (value, prefix) {
        (Attr::S(value), Attr::S(prefix)) => value.starts_with(prefix),
        (Attr::B(value), Attr::B(prefix)) => value.starts_with(prefix),
        _ => false,
    }
}

fn contains(value: &Attr, part: &Attr) -> bool {
    match (value, part) {
        (Attr::S(value), Attr::S(part)) => value.contains(part),
        (Attr::B(value), Attr::B(part)) => part.is_empty() || value.windows(part.len()).any(|window| window == part),
        (Attr::Ss(set), Attr::S(part)) => set.contains(part),
        (Attr::Ns(set), Attr::N(part)) => set.contains(part),
        (Attr::Bs(set), Attr::B(part)) => set.contains(part),
        (Attr::L(items), part) => items.contains(part),
        _ => false,
    }
}

fn size(value: &Attr) -> Option<usize> {
    Some(match value {
        Attr::S(text) => text.chars().count(),
        Attr::B(bytes) => bytes.len(),
        Attr::M(members) => members.len(),
        Attr::L(items) => items.len(),
        Attr::Ss(set) => set.len(),
        Attr::Ns(set) => set.len(),
        Attr::Bs(set) => set.len(),
        Attr::N(_) | Attr::Bool(_) | Attr::Null => return None,
    })
}
