use axum::http::Method;
use cofio::model::Right;

use super::shapes::{KeyMade, NewKey, entropy};
use crate::http::answer::Created;
use crate::http::body::Json;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct CreateKey;

impl Endpoint for CreateKey {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Json<NewKey>;
    type Answer = Created<KeyMade>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/keys";
    const NAME: &'static str = "createKey";
    const GROUP: Group = Group::Keys;
    const SUMMARY: &'static str = "Make a key";
    const ABOUT: &'static str = "Its token is shown in this answer and never again. It cannot open more, do more or be trusted further than whoever makes it. From the first key on, nobody is answered without one.";
    const NEEDS: Right = Right::Admin;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(new) = asked.body;
        let made = visit.engine.create_key(visit.caller(), new.draft()?, entropy()?).await?;
        Ok(Created(KeyMade::new(&made.0, &made.1)))
    }
}
