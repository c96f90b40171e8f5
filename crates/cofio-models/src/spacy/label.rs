/// What the model calls the things it finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Label {
    /// A company, an agency, an institution.
    Org,
    /// A date or a period.
    Date,
    /// A person.
    Person,
    /// A country, a city, a state.
    Gpe,
    /// A sum of money.
    Money,
    /// A number that is nothing else.
    Cardinal,
    /// A nationality, a religious or a political group.
    Norp,
    /// A percentage.
    Percent,
    /// The title of a book, a song or the like.
    WorkOfArt,
    /// A mountain range, a body of water, a region.
    Loc,
    /// A time of day.
    Time,
    /// A measurement.
    Quantity,
    /// A building, an airport, a road, a bridge.
    Fac,
    /// A battle, a war, a storm, a sports event.
    Event,
    /// "first", "second".
    Ordinal,
    /// A thing that is made; no service.
    Product,
    /// A document that became a law.
    Law,
    /// A language.
    Language,
}

impl Label {
    /// Every label, in the order of the model's moves.
    pub const ALL: [Self; 18] = [
        Self::Org,
        Self::Date,
        Self::Person,
        Self::Gpe,
        Self::Money,
        Self::Cardinal,
        Self::Norp,
        Self::Percent,
        Self::WorkOfArt,
        Self::Loc,
        Self::Time,
        Self::Quantity,
        Self::Fac,
        Self::Event,
        Self::Ordinal,
        Self::Product,
        Self::Law,
        Self::Language,
    ];

    /// Returns what the model calls it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Org => "ORG",
            Self::Date => "DATE",
            Self::Person => "PERSON",
            Self::Gpe => "GPE",
            Self::Money => "MONEY",
            Self::Cardinal => "CARDINAL",
            Self::Norp => "NORP",
            Self::Percent => "PERCENT",
            Self::WorkOfArt => "WORK_OF_ART",
            Self::Loc => "LOC",
            Self::Time => "TIME",
            Self::Quantity => "QUANTITY",
            Self::Fac => "FAC",
            Self::Event => "EVENT",
            Self::Ordinal => "ORDINAL",
            Self::Product => "PRODUCT",
            Self::Law => "LAW",
            Self::Language => "LANGUAGE",
        }
    }
}
