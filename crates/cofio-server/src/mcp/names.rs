//! The words of the model as models write them.

use cofio::model::{Kind, Layer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes an enum of names that stands for one of the model's.
///
/// It has no documentation of its own, as that would stand in every schema.
macro_rules! named {
    ($name:ident for $model:ident { $($variant:ident),+ }) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "lowercase")]
        pub(crate) enum $name { $($variant),+ }

        impl From<$name> for $model {
            fn from(name: $name) -> Self {
                match name { $($name::$variant => Self::$variant),+ }
            }
        }

        impl From<$model> for $name {
            fn from(value: $model) -> Self {
                match value { $($model::$variant => Self::$variant),+ }
            }
        }
    };
}

named!(LayerName for Layer { Agent, User, Session, Project, Team, Org, Company });

named!(KindName for Kind { Working, Context, Episode, Fact, Procedure, Reflection });
