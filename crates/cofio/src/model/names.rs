//! One table per enum between its values and their written names.

/// Gives an enum `ALL`, `NAMES`, `as_str`, `Display` and a `FromStr` that knows aliases and refuses the rest.
macro_rules! names {
    ($type:ident, $what:literal, $kind:ident, { $($variant:ident => $name:literal $(| $alias:literal)*),+ $(,)? }) => {
        impl $type {
            /// Every value, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Every written name, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// Returns the written name.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::error::Error;

            fn from_str(raw: &str) -> $crate::error::Result<Self> {
                match raw.to_ascii_lowercase().as_str() {
                    $($name $(| $alias)* => Ok(Self::$variant),)+
                    _ => Err($crate::error::Error::new(
                        $crate::error::ErrorKind::$kind,
                        format!(
                            concat!("unknown ", $what, " {:?}; known: {}"),
                            raw.chars().take(40).collect::<String>(),
                            [$($name),+].join(", ")
                        ),
                    )),
                }
            }
        }
    };
}

pub(crate) use names;
