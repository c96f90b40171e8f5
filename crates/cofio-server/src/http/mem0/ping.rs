use axum::http::Method;
use cofio::model::Right;

use crate::dialects::mem0::Pong;
use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct Ping;

impl Endpoint for Ping {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Found<Pong>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/ping/";
    const NAME: &'static str = "mem0Ping";
    const GROUP: Group = Group::Mem0;
    const SUMMARY: &'static str = "Say that the key is good";
    const ABOUT: &'static str = "Mem0's clients ask this first.";
    const NEEDS: Right = Right::Read;

    async fn run(_: &Visit, _: Asked<Self>) -> Outcome<Self::Answer> {
        Ok(Found(Pong::default()))
    }
}
