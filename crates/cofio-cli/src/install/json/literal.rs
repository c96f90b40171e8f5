//! Values to be written into settings, and how they are laid out.

/// A value.
#[derive(Debug, Clone)]
pub enum Literal {
    Text(String),
    Number(u32),
    Truth(bool),
    List(Vec<Literal>),
    Object(Vec<(&'static str, Literal)>),
}

/// How a value is laid out.
#[derive(Debug, Clone)]
pub enum Layout {
    /// On the line that it begins on.
    Line {
        /// What stands behind commas and colons: a space or nothing.
        space: &'static str,
    },
    /// Every property on a line of its own.
    Lines {
        newline: &'static str,
        /// What the line begins with that the value begins on.
        indent: String,
        /// What is put before it with every object around.
        unit: String,
    },
}

/// Makes a list.
pub fn list<const N: usize>(elements: [Literal; N]) -> Literal {
    Literal::List(elements.into())
}

/// Makes an object.
pub fn object<const N: usize>(properties: [(&'static str, Literal); N]) -> Literal {
    properties.into_iter().collect()
}

impl FromIterator<(&'static str, Literal)> for Literal {
    fn from_iter<I: IntoIterator<Item = (&'static str, Literal)>>(properties: I) -> Self {
        Self::Object(properties.into_iter().collect())
    }
}

impl From<&str> for Literal {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Literal {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u32> for Literal {
    fn from(number: u32) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for Literal {
    fn from(truth: bool) -> Self {
        Self::Truth(truth)
    }
}

impl Literal {
    /// Returns the value as it is written.
    pub fn written(&self, layout: &Layout) -> String {
        match self {
            Self::Text(text) => quoted(text),
            Self::Number(number) => number.to_string(),
            Self::Truth(truth) => truth.to_string(),
            Self::List(elements) => {
                let nested = elements.iter().any(|element| matches!(element, Self::Object(_)));
                // Words that belong together stay on their line.
                let layout = if nested { layout } else { &Layout::Line { space: " " } };
                let written = |layout: &Layout| -> Vec<String> {
                    elements.iter().map(|element| element.written(layout)).collect()
                };
                layout.around('[', written, ']')
            }
            Self::Object(properties) => {
                let written = |layout: &Layout| -> Vec<String> {
                    properties.iter().map(|(name, value)| property(name, value, layout)).collect()
                };
                layout.around('{', written, '}')
            }
        }
    }
}

impl Layout {
    /// Returns the layout of what stands one level deeper.
    fn inner(&self) -> Self {
        match self {
            Self::Line { space } => Self::Line { space },
            Self::Lines { newline, indent, unit } => {
                Self::Lines { newline, indent: format!("{indent}{unit}"), unit: unit.clone() }
            }
        }
    }

    /// Returns what stands before the next value: the beginning of its line, or a space.
    pub fn next(&self) -> String {
        match self {
            Self::Line { space } => (*space).to_owned(),
            Self::Lines { newline, indent, .. } => format!("{newline}{indent}"),
        }
    }

    fn around(&self, open: char, items: impl Fn(&Self) -> Vec<String>, close: char) -> String {
        let inner = self.inner();
        let items = items(&inner);
        let between = format!(",{}", inner.next());
        match self {
            Self::Line { .. } => format!("{open}{}{close}", items.join(&between)),
            Self::Lines { .. } => {
                format!("{open}{}{}{}{close}", inner.next(), items.join(&between), self.next())
            }
        }
    }
}

/// Returns a property as it is written.
pub fn property(name: &str, value: &Literal, layout: &Layout) -> String {
    let space = if let Layout::Line { space } = layout { space } else { " " };
    format!("{}:{space}{}", quoted(name), value.written(layout))
}

/// Returns a text as a string of JSON.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_laid_out_as_it_is_wanted() {
        let value = object([
            ("words", list(["a".into(), "b\n".into()])),
            ("groups", list([object([("timeout", 5.into())])])),
            ("enabled", true.into()),
        ]);
        assert_eq!(
            value.written(&Layout::Line { space: "" }),
            r#"{"words":["a", "b\n"],"groups":[{"timeout":5}],"enabled":true}"#
        );
        let layout =
            Layout::Lines { newline: "\n", indent: "\t".to_owned(), unit: "\t".to_owned() };
        let expected = "{\n\t\t\"words\": [\"a\", \"b\\n\"],\n\t\t\"groups\": [\n\t\t\t{\n\t\t\t\t\"timeout\": 5\n\t\t\t}\n\t\t],\n\t\t\"enabled\": true\n\t}";
        assert_eq!(value.written(&layout), expected);
    }
}
