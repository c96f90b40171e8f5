//! Settings as a tree that knows where in the text everything stands.

use anyhow::{Context as _, Result};
use jsonc_parser::ast::{Array, Object, ObjectProp, StringLit, Value};
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{
    CollectOptions, CommentCollectionStrategy, ParseOptions, ParseResult, parse_to_ast,
};

/// A text that was understood.
pub struct Tree<'a> {
    value: Option<Value<'a>>,
    /// Everything in the order of the text, comments too.
    pub tokens: Vec<TokenAndRange<'a>>,
}

impl<'a> Tree<'a> {
    pub fn of(text: &'a str) -> Result<Self> {
        let collect =
            CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed = parse_to_ast(text, &collect, &options()).map_err(|error| {
            let (line, column) = (error.line_display(), error.column_display());
            anyhow::anyhow!("line {line}, column {column} is no JSON: {}", error.kind())
        });
        let ParseResult { value, tokens, .. } = parsed?;
        Ok(Self { value, tokens: tokens.unwrap_or_default() })
    }

    /// Returns the object that everything is in.
    pub fn top(&self) -> Result<&Object<'a>> {
        self.value.as_ref().and_then(object).context("it is no JSON object")
    }
}

/// Takes JSON with comments and trailing commas, as editors do, and nothing looser.
pub fn options() -> ParseOptions {
    ParseOptions {
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
        ..ParseOptions::default()
    }
}

/// Returns a property by its name; of several, the last one, which is the one that clients see.
pub fn property<'a, 'b>(object: &'b Object<'a>, name: &str) -> Option<&'b ObjectProp<'a>> {
    object.properties.iter().rev().find(|property| property.name.as_str() == name)
}

pub fn object<'a, 'b>(value: &'b Value<'a>) -> Option<&'b Object<'a>> {
    if let Value::Object(object) = value { Some(object) } else { None }
}

pub fn array<'a, 'b>(value: &'b Value<'a>) -> Option<&'b Array<'a>> {
    if let Value::Array(array) = value { Some(array) } else { None }
}

pub fn text<'a, 'b>(value: &'b Value<'a>) -> Option<&'b StringLit<'a>> {
    if let Value::StringLit(text) = value { Some(text) } else { None }
}

/// Returns whether a token is a comment.
pub fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}
