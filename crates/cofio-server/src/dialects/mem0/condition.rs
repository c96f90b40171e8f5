//! Filters: what must hold of a memory, in conditions that are put together by AND, OR and NOT.

use cofio::model::{Criteria, Memory, Scope, TimeRange, Timestamp};
use cofio::{Error, Result};
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::entity::Entity;
use super::home::{check_fields, named_one};
use super::input::Named;
use super::place::Possible;
use super::test::{OPERATORS, Test, unknown_operator};

/// How many conditions a filter may have.
const MOST: usize = 200;

/// How many values a filter may compare with.
const MOST_VALUES: usize = 1_000;

/// How deep conditions may be in one another.
const DEEPEST: usize = 16;

/// What must hold of a memory.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Condition {
    /// All of these.
    All(Vec<Condition>),
    /// At least one of these.
    Any(Vec<Condition>),
    /// None of these.
    None(Vec<Condition>),
    /// Of whose it is.
    Entity(Entity, Test),
    /// Of when something happened to it.
    Time(Moment, TimeRange),
    /// Of a part of it.
    Part(Part, Test),
}

/// When something happened to a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    Created,
    Updated,
    Happened,
}

/// A part of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Id,
    Text,
    Tags,
    Custom(String),
}

impl Condition {
    /// Reads a filter; none means everything.
    pub(super) fn read(filters: &Map<String, Value>, zone: &TimeZone) -> Result<Self> {
        let mut reader = Reader { zone, conditions: MOST, values: MOST_VALUES };
        reader.conditions(filters, DEEPEST)
    }

    /// Means everything of those who are named.
    pub(super) fn naming(named: &Named) -> Result<Self> {
        let one = |(entity, name): (Entity, &str)| entity_condition(entity, "eq", &name.into());
        Ok(Self::All(named.iter().map(one).collect::<Result<_>>()?))
    }

    /// Means what both mean.
    #[must_use]
    pub(super) fn and(self, other: Self) -> Self {
        Self::All(vec![self, other])
    }

    /// Returns whether it holds of a memory.
    pub(super) fn holds(&self, memory: &Memory) -> bool {
        match self {
            Self::All(conditions) => conditions.iter().all(|one| one.holds(memory)),
            Self::Any(conditions) => conditions.iter().any(|one| one.holds(memory)),
            Self::None(conditions) => !conditions.iter().any(|one| one.holds(memory)),
            Self::Entity(entity, test) => {
                test.holds(&entity.of(memory).map_or(Value::Null, Value::from))
            }
            Self::Time(moment, range) => range.contains(moment.of(memory)),
            Self::Part(Part::Id, test) => test.holds(&memory.id.as_str().into()),
            Self::Part(Part::Text, test) => test.holds(&memory.content.as_str().into()),
            Self::Part(Part::Tags, test) => test.holds_of_any(&memory.metadata.tags),
            Self::Part(Part::Custom(name), test) => {
                test.holds(memory.metadata.custom.get(name).unwrap_or(&Value::Null))
            }
        }
    }

    /// Says as much of it as a store can look for in a scope that was chosen by it, and returns
    /// whether that is all.
    pub(super) fn narrowed(&self, scope: &Scope, mut criteria: Criteria) -> (Criteria, bool) {
        let said = self.narrow(scope, &mut criteria);
        (criteria, said)
    }

    fn narrow(&self, scope: &Scope, criteria: &mut Criteria) -> bool {
        match self {
            // Every one has its say, also after one of which not all can be said.
            Self::All(conditions) => {
                let not_all = conditions.iter().filter(|one| !one.narrow(scope, criteria));
                not_all.count() == 0
            }
            Self::Entity(entity, Test::Equals(_) | Test::In(_) | Test::Present)
                if entity.is_settled_by(scope.layer()) =>
            {
                true
            }
            Self::Entity(entity, Test::Equals(name @ Value::String(_))) => {
                entity.label().is_some_and(|label| require(criteria, label, name))
            }
            Self::Part(
                Part::Custom(field),
                Test::Equals(value @ (Value::String(_) | Value::Bool(_))),
            ) => require(criteria, field, value),
            Self::Time(Moment::Happened, range) => {
                criteria.time = shared(criteria.time, *range);
                true
            }
            Self::Time(Moment::Created, range) => {
                criteria.learnt_by = earlier(criteria.learnt_by, range.to);
                range.from.is_none()
            }
            _ => false,
        }
    }

    /// Returns which names of an entity it can hold for, if it says anything of them; in a
    /// condition that does not, `unsaid` are meant.
    pub(super) fn possible(&self, entity: Entity, unsaid: &Possible) -> Option<Possible> {
        match self {
            Self::All(conditions) => {
                let said = conditions.iter().filter_map(|one| one.possible(entity, unsaid));
                said.reduce(Possible::and)
            }
            Self::Any(conditions) => {
                let said: Vec<_> =
                    conditions.iter().map(|one| one.possible(entity, unsaid)).collect();
                said.iter().any(Option::is_some).then(|| {
                    let all = said.into_iter().map(|one| one.unwrap_or_else(|| unsaid.clone()));
                    all.fold(Possible::nobody(), Possible::or)
                })
            }
            Self::None(conditions) => {
                let said = conditions.iter().any(|one| one.possible(entity, unsaid).is_some());
                said.then(Possible::anybody)
            }
            Self::Entity(own, test) if *own == entity => Some(Possible::by(test)),
            _ => None,
        }
    }

    /// Returns everybody whom it asks for by name.
    pub(super) fn named(&self) -> Vec<(Entity, &str)> {
        match self {
            Self::All(conditions) | Self::Any(conditions) => {
                conditions.iter().flat_map(Self::named).collect()
            }
            Self::Entity(entity, Test::Equals(Value::String(name))) => vec![(*entity, name)],
            Self::Entity(entity, Test::In(names)) => {
                names.iter().filter_map(|name| Some((*entity, name.as_str()?))).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Moment {
    fn of(self, memory: &Memory) -> Timestamp {
        match self {
            Self::Created => memory.created_at,
            Self::Updated => memory.updated_at,
            Self::Happened => memory.event_at,
        }
    }
}

/// Reads a filter that is not too large.
struct Reader<'a> {
    zone: &'a TimeZone,
    /// How many more there may be.
    conditions: usize,
    values: usize,
}

impl Reader<'_> {
    /// Reads an object, all of which must hold.
    fn conditions(&mut self, fields: &Map<String, Value>, depth: usize) -> Result<Condition> {
        if depth == 0 {
            return Err(Error::invalid(format!("filters are at most {DEEPEST} deep")));
        }
        let mut all = Vec::new();
        for (field, value) in fields {
            self.count(1)?;
            all.push(match field.as_str() {
                "AND" => Condition::All(self.list(value, depth)?),
                "OR" => Condition::Any(self.list(value, depth)?),
                "NOT" => Condition::None(self.list(value, depth)?),
                field => self.condition(field, value)?,
            });
        }
        Ok(Condition::All(all))
    }

    fn list(&mut self, value: &Value, depth: usize) -> Result<Vec<Condition>> {
        let object = |value: &Value| match value {
            Value::Object(fields) => Ok(fields.clone()),
            _ => Err(Error::invalid("AND, OR and NOT take a list of conditions")),
        };
        match value {
            Value::Array(values) => {
                values.iter().map(|value| self.conditions(&object(value)?, depth - 1)).collect()
            }
            value => Ok(vec![self.conditions(&object(value)?, depth - 1)?]),
        }
    }

    /// Counts some more conditions.
    fn count(&mut self, conditions: usize) -> Result<()> {
        let too_many = || Error::invalid(format!("a filter has at most {MOST} conditions"));
        self.conditions = self.conditions.checked_sub(conditions).ok_or_else(too_many)?;
        Ok(())
    }

    /// Counts everything that a field is compared with.
    fn count_values(&mut self, value: &Value) -> Result<()> {
        let too_many = || Error::invalid(format!("a filter has at most {MOST_VALUES} values"));
        self.values = self.values.checked_sub(1).ok_or_else(too_many)?;
        match value {
            Value::Array(values) => values.iter().try_for_each(|value| self.count_values(value)),
            Value::Object(fields) => fields.values().try_for_each(|value| self.count_values(value)),
            _ => Ok(()),
        }
    }

    /// Reads what must hold of one field.
    fn condition(&mut self, field: &str, value: &Value) -> Result<Condition> {
        self.count_values(value)?;
        if let ("metadata", Value::Object(fields)) = (field, value) {
            self.count(fields.len())?;
        }
        if let Some(&entity) = Entity::ALL.iter().find(|entity| entity.field() == field) {
            return by_operator(value, |operator, value| entity_condition(entity, operator, value));
        }
        let part = |part: Part| {
            by_operator(value, |operator, value| {
                Ok(Condition::Part(part.clone(), Test::read(operator, value)?))
            })
        };
        let moment = |moment| {
            by_operator(value, |operator, value| self.time_condition(moment, operator, value))
        };
        match field {
            "created_at" => moment(Moment::Created),
            "updated_at" => moment(Moment::Updated),
            "timestamp" => moment(Moment::Happened),
            "categories" => part(Part::Tags),
            "keywords" | "memory" => part(Part::Text),
            "id" | "memory_ids" => part(Part::Id),
            "metadata" => metadata_condition(value),
            unknown => {
                let shown: String = unknown.chars().take(40).collect();
                Err(Error::invalid(format!(
                    "unknown field {shown:?} in a filter; known: user_id, agent_id, app_id, \
                     run_id, created_at, updated_at, timestamp, categories, keywords, memory_ids \
                     and metadata, which takes fields of your own"
                )))
            }
        }
    }

    fn time_condition(&self, moment: Moment, operator: &str, value: &Value) -> Result<Condition> {
        if value == "*" {
            return Ok(Condition::All(Vec::new()));
        }
        let span = super::moment::Span::read(value, self.zone)?;
        let within = |operator| span.compared(operator).map(|range| Condition::Time(moment, range));
        match operator {
            "ne" => Ok(Condition::None(within("eq").into_iter().collect())),
            operator => within(operator)
                .ok_or_else(|| Error::invalid("a time takes eq, ne, gt, gte, lt or lte")),
        }
    }
}

/// Reads a value, a list of which it is one, or operators all of which must hold.
fn by_operator(
    value: &Value,
    mut read: impl FnMut(&str, &Value) -> Result<Condition>,
) -> Result<Condition> {
    match value {
        Value::Object(operators) => {
            if let Some(unknown) = operators.keys().find(|name| !OPERATORS.contains(&name.as_str()))
            {
                return Err(unknown_operator(unknown));
            }
            let all = operators.iter().map(|(operator, value)| read(operator, value));
            Ok(Condition::All(all.collect::<Result<_>>()?))
        }
        Value::Array(_) => read("in", value),
        value => read("eq", value),
    }
}

/// Reads what must hold of a name, in the form in which names are kept.
fn entity_condition(entity: Entity, operator: &str, value: &Value) -> Result<Condition> {
    let name = |value: &Value| match value {
        Value::String(name) => Ok(Value::from(named_one(entity, name)?.as_str())),
        Value::Null => Ok(Value::Null),
        _ => Err(Error::invalid(format!("{} takes a text", entity.field()))),
    };
    let test = match Test::read(operator, value)? {
        Test::Equals(value) => Test::Equals(name(&value)?),
        Test::Differs(value) => Test::Differs(name(&value)?),
        // Among others, any name is any name.
        Test::In(values) if values.iter().any(|value| value == "*") => Test::Present,
        Test::In(values) => Test::In(values.iter().map(name).collect::<Result<_>>()?),
        test => test,
    };
    Ok(Condition::Entity(entity, test))
}

/// Reads what must hold of custom fields.
fn metadata_condition(value: &Value) -> Result<Condition> {
    let Value::Object(fields) = value else {
        return Err(Error::invalid("metadata takes an object with fields of your own"));
    };
    check_fields(fields)?;
    let one = |(name, value): (&String, &Value)| {
        by_operator_or_list(value, |operator, value| {
            let test = Test::read(operator, value)?;
            Ok(Condition::Part(Part::Custom(name.clone()), test))
        })
    };
    Ok(Condition::All(fields.iter().map(one).collect::<Result<_>>()?))
}

/// Reads operators, or a value that may itself be a list.
fn by_operator_or_list(
    value: &Value,
    mut read: impl FnMut(&str, &Value) -> Result<Condition>,
) -> Result<Condition> {
    if value.is_array() { read("eq", value) } else { by_operator(value, read) }
}

/// Asks for the value of a custom field, unless another is asked for already.
fn require(criteria: &mut Criteria, field: &str, value: &Value) -> bool {
    criteria.custom.entry(field).or_insert_with(|| value.clone()) == value
}

fn shared(one: TimeRange, other: TimeRange) -> TimeRange {
    TimeRange { from: one.from.max(other.from), to: earlier(one.to, other.to) }
}

fn earlier(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
