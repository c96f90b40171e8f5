mod behaviour;
mod evasions;
mod examples;
mod properties;
mod rules;
