use axum::http::Method;
use cofio::model::Right;
use cofio::wire::KeyOutput;

use super::shapes::ByKeyId;
use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct RevokeKey;

impl Endpoint for RevokeKey {
    type Path = ByKeyId;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Found<KeyOutput>;

    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/v1/keys/{id}";
    const NAME: &'static str = "revokeKey";
    const GROUP: Group = Group::Keys;
    const SUMMARY: &'static str = "Make a key end at once";
    const ABOUT: &'static str =
        "The next request with it is refused, at every server on the same store.";
    const NEEDS: Right = Right::Admin;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let key = visit.engine.revoke_key(visit.caller(), &asked.path.key()?).await?;
        Ok(Found(KeyOutput::from(&key)))
    }
}
