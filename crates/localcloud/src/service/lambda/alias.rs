//! Aliases.

use super::errors::{conflict, function_missing, invalid, missing};
use super::function::{Alias, Function};
use super::input::{Input, page};
use super::names::{FunctionRef, function_arn, is_name};
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde_json::{Value, json};

/// Answers one of the alias operations.
pub(super) fn call(cloud: &Cloud, ctx: &Context, operation: &str, input: Input<'_>) -> Result<Value, ApiError> {
    let reference = FunctionRef::parse(input.required("FunctionName")?, None)?;
    if input.nested("RoutingConfig").is_some_and(|routing| routing.get("AdditionalVersionWeights").is_some()) {
        return Err(ApiError::not_emulated("aliases with weighted versions"));
    }
    let revision = cloud.uuid();
    let output = cloud.with(&ctx.region, |state| {
        let function = state.lambda.function_mut(&ctx.region, &reference)?;
        let aliases = Aliases { region: &ctx.region, name: &reference.name, function };
        match operation {
            "CreateAlias" => aliases.create(input, revision),
            "UpdateAlias" => aliases.update(input, revision),
            "GetAlias" => aliases.get(input),
            "DeleteAlias" => aliases.delete(input),
            _ => aliases.list(input),
        }
    })?;
    if !matches!(operation, "GetAlias" | "ListAliases") {
        cloud.touch();
    }
    Ok(output)
}

struct Aliases<'a> {
    region: &'a str,
    name: &'a str,
    function: &'a mut Function,
}

impl Aliases<'_> {
    fn arn(&self, alias: &str) -> String {
        format!("{}:{alias}", function_arn(self.region, self.name))
    }

    fn create(self, input: Input<'_>, revision: String) -> Result<Value, ApiError> {
        let name = input.required("Name")?;
        if !is_name(name) || name.bytes().all(|b| b.is_ascii_digit()) {
            return Err(invalid(format!("Value '{name}' at 'name' is not an alias name")));
        }
        if self.function.aliases.contains_key(name) {
            return Err(conflict(format!("Alias already exists: {}", self.arn(name))));
        }
        let version = self.version(input.required("FunctionVersion")?)?;
        let description = input.text("Description").unwrap_or_default().to_owned();
        let alias = Alias { version, description, revision };
        let output = self.render(name, &alias);
        self.function.aliases.insert(name.to_owned(), alias);
        Ok(output)
    }

    fn update(self, input: Input<'_>, revision: String) -> Result<Value, ApiError> {
        let name = input.required("Name")?;
        let version = input.text("FunctionVersion").map(|text| self.version(text)).transpose()?;
        let mut alias = self.find(name)?.clone();
        alias.version = version.unwrap_or(alias.version);
        if let Some(description) = input.text("Description") {
            description.clone_into(&mut alias.description);
        }
        alias.revision = revision;
        let output = self.render(name, &alias);
        self.function.aliases.insert(name.to_owned(), alias);
        Ok(output)
    }

    fn get(self, input: Input<'_>) -> Result<Value, ApiError> {
        let name = input.required("Name")?;
        Ok(self.render(name, self.find(name)?))
    }

    /// Deleting what is not there succeeds, as the service does it.
    fn delete(self, input: Input<'_>) -> Result<Value, ApiError> {
        self.function.aliases.remove(input.required("Name")?);
        Ok(json!({}))
    }

    fn list(self, input: Input<'_>) -> Result<Value, ApiError> {
        let wanted = input.text("FunctionVersion").and_then(|text| text.parse::<u64>().ok());
        let found = self.function.aliases.iter().filter(|(_, alias)| wanted.is_none_or(|v| v == alias.version));
        let rendered: Vec<Value> = found.map(|(name, alias)| self.render(name, alias)).collect();
        let (aliases, next) = page(rendered, input, 50, 10_000)?;
        let mut output = json!({"Aliases": aliases});
        if let Some(next) = next {
            output["NextMarker"] = next.into();
        }
        Ok(output)
    }

    fn find(&self, name: &str) -> Result<&Alias, ApiError> {
        self.function.aliases.get(name).ok_or_else(|| missing(format!("Cannot find alias arn: {}", self.arn(name))))
    }

    /// A published version's number; `$LATEST` cannot have an alias here.
    fn version(&self, text: &str) -> Result<u64, ApiError> {
        if text == super::names::LATEST {
            return Err(ApiError::not_emulated("aliases of $LATEST"));
        }
        let number = text.parse::<u64>().ok().filter(|number| self.function.published.contains_key(number));
        number.ok_or_else(|| function_missing(&self.arn(text)))
    }

    fn render(&self, name: &str, alias: &Alias) -> Value {
        json!({
            "AliasArn": self.arn(name),
            "Name": name,
            "FunctionVersion": alias.version.to_string(),
            "Description": alias.description,
            "RevisionId": alias.revision,
        })
    }
}
