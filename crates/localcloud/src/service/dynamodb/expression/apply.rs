//! What an update makes of an item.

use super::super::invalid;
use super::super::number::{Decimal, NumberError};
use super::super::value::{Attr, Item};
use super::path::{Path, Step};
use super::update::{Action, Source, Update};
use crate::error::ApiError;
use std::collections::BTreeSet;

/// Applies an update. All sources are read from the item as it was; removals from lists come last.
pub(in super::super) fn apply(update: &Update, before: &Item) -> Result<Item, ApiError> {
    let mut after = before.clone();
    let mut removals = Vec::new();
    for action in &update.actions {
        match action {
            Action::Set(path, source) => put(&mut after, path, value_of(source, before)?)?,
            Action::Add(path, value) => {
                let sum = match path.get(before) {
                    None => value.clone(),
                    Some(old) => add(old, value)?,
                };
                put(&mut after, path, sum)?;
            }
            Action::Delete(path, value) => match path.get(before).map(|old| subtract(old, value)).transpose()? {
                Some(Some(rest)) => put(&mut after, path, rest)?,
                Some(None) => removals.push(path),
                None => {}
            },
            Action::Remove(path) => removals.push(path),
        }
    }
    // From the back, so that indices stay right.
    removals.sort();
    for path in removals.into_iter().rev() {
        remove(&mut after, path)?;
    }
    Ok(after)
}

/// The paths that an update writes, for `UPDATED_OLD` and `UPDATED_NEW`.
pub(in super::super) fn touched(update: &Update) -> Vec<Path> {
    update.actions.iter().map(|action| action.path().clone()).collect()
}

fn value_of(source: &Source, item: &Item) -> Result<Attr, ApiError> {
    match source {
        Source::Value(value) => Ok(value.clone()),
        Source::Path(path) => path
            .get(item)
            .cloned()
            .ok_or_else(|| invalid("The provided expression refers to an attribute that does not exist in the item")),
        Source::IfNotExists(path, default) => path.get(item).cloned().map_or_else(|| value_of(default, item), Ok),
        Source::ListAppend(first, second) => match (value_of(first, item)?, value_of(second, item)?) {
            (Attr::L(mut first), Attr::L(second)) => {
                first.extend(second);
                Ok(Attr::L(first))
            }
            _ => Err(wrong_operand()),
        },
        Source::Plus(left, right) => arithmetic(left, right, item, Decimal::plus),
        Source::Minus(left, right) => arithmetic(left, right, item, Decimal::minus),
    }
}

fn arithmetic(
    left: &Source,
    right: &Source,
    item: &Item,
    act: fn(Decimal, Decimal) -> Result<Decimal, NumberError>,
) -> Result<Attr, ApiError> {
    match (value_of(left, item)?, value_of(right, item)?) {
        (Attr::N(left), Attr::N(right)) => act(left, right).map(Attr::N).map_err(|error| invalid(error.message(""))),
        _ => Err(wrong_operand()),
    }
}

fn add(old: &Attr, value: &Attr) -> Result<Attr, ApiError> {
    match (old, value) {
        (Attr::N(old), Attr::N(value)) => old.plus(*value).map(Attr::N).map_err(|error| invalid(error.message(""))),
        (Attr::Ss(old), Attr::Ss(value)) => Ok(Attr::Ss(old | value)),
        (Attr::Ns(old), Attr::Ns(value)) => Ok(Attr::Ns(old | value)),
        (Attr::Bs(old), Attr::Bs(value)) => Ok(Attr::Bs(old | value)),
        _ => Err(wrong_operand()),
    }
}

/// The set without the values; `None` when nothing is left, as there are no empty sets.
fn subtract(old: &Attr, value: &Attr) -> Result<Option<Attr>, ApiError> {
    fn rest<T: Ord + Clone>(old: &BTreeSet<T>, value: &BTreeSet<T>) -> Option<BTreeSet<T>> {
        Some(old - value).filter(|rest| !rest.is_empty())
    }
    match (old, value) {
        (Attr::Ss(old), Attr::Ss(value)) => Ok(rest(old, value).map(Attr::Ss)),
        (Attr::Ns(old), Attr::Ns(value)) => Ok(rest(old, value).map(Attr::Ns)),
        (Attr::Bs(old), Attr::Bs(value)) => Ok(rest(old, value).map(Attr::Bs)),
        _ => Err(wrong_operand()),
    }
}

fn put(item: &mut Item, path: &Path, value: Attr) -> Result<(), ApiError> {
    let Some((last, parents)) = path.steps.split_last() else {
        item.insert(path.root.clone(), value);
        return Ok(());
    };
    match (parent(item, &path.root, parents)?, last) {
        (Attr::M(members), Step::Member(name)) => {
            members.insert(name.clone(), value);
        }
        (Attr::L(items), Step::Index(index)) => match items.get_mut(*index) {
            Some(place) => *place = value,
            None => items.push(value),
        },
        _ => return Err(no_such_path()),
    }
    Ok(())
}

fn remove(item: &mut Item, path: &Path) -> Result<(), ApiError> {
    let Some((last, parents)) = path.steps.split_last() else {
        item.remove(&path.root);
        return Ok(());
    };
    match (parent(item, &path.root, parents)?, last) {
        (Attr::M(members), Step::Member(name)) => drop(members.remove(name)),
        (Attr::L(items), Step::Index(index)) if *index < items.len() => drop(items.remove(*index)),
        (Attr::L(_), Step::Index(_)) => {}
        _ => return Err(no_such_path()),
    }
    Ok(())
}

fn parent<'a>(item: &'a mut Item, root: &str, steps: &[Step]) -> Result<&'a mut Attr, ApiError> {
    let start = item.get_mut(root).ok_or_else(no_such_path)?;
    steps.iter().try_fold(start, |value, step| {
        match (value, step) {
            (Attr::M(members), Step::Member(name)) => members.get_mut(name),
            (Attr::L(items), Step::Index(index)) => items.get_mut(*index),
            _ => None,
        }
        .ok_or_else(no_such_path)
    })
}

fn no_such_path() -> ApiError {
    invalid("The document path provided in the update expression is invalid for update")
}

fn wrong_operand() -> ApiError {
    invalid("An operand in the update expression has an incorrect data type")
}
