//! Who asks: a key says it, or nobody needs one yet.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, header};
use axum::middleware::Next;
use axum::response::Response;
use cofio::ErrorKind;
use tokio::time;

use super::failure::{Failure, Outcome};
use super::house::House;
use super::limits::Left;
use super::manner::Manner;
use super::metrics;
use super::visit::Visitor;
use crate::Place;

/// The schemes under which keys are sent; the second is that of Mem0's clients.
const SCHEMES: [&str; 2] = ["bearer", "token"];

/// Where a key can be sent as well.
const KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Finds out who asks, and lets them pass unless they ask too often.
pub(super) async fn admit(
    State(house): State<House>,
    mut request: Request,
    next: Next,
) -> Response {
    let manner = request.extensions().get::<Manner>().cloned().unwrap_or_default();
    let token = token(request.headers());
    let admitted = async {
        let visitor = visitor(&house, token?.as_deref()).await?;
        manner.notes.asked_by(visitor.caller.actor());
        let (left, counted) = match &visitor.token {
            Some(_) => house.rates().count(visitor.caller.actor()),
            // Somebody at their own machine may ask as often as they like.
            None => (None, Ok(())),
        };
        Ok((visitor, left, counted))
    };
    let admitted = if metrics::are_asked(&request) {
        let Some(admitted) = unless_silent(admitted).await else {
            return metrics::of_stores(&house, &manner).await;
        };
        admitted
    } else {
        admitted.await
    };
    let (visitor, left) = match admitted {
        Ok((visitor, left, Ok(()))) => (visitor, left),
        Ok((_, left, Err(failure))) => return told(failure.answer(&manner), left),
        Err(failure) => return Failure::answer(failure, &manner),
    };
    let place = match &visitor.token {
        Some(_) => Place::of(visitor.caller.clone(), visitor.identifiers.clone()),
        None => house.place().clone(),
    };
    request.extensions_mut().insert(place);
    request.extensions_mut().insert(visitor);
    told(next.run(request).await, left)
}

/// Returns who is let in or why not, or nothing if the home does not say who asks.
async fn unless_silent<T>(admitted: impl Future<Output = Outcome<T>>) -> Option<Outcome<T>> {
    let admitted = time::timeout(metrics::PATIENCE, admitted).await.ok()?;
    let silent = admitted.as_ref().is_err_and(|failure| failure.status.is_server_error());
    (!silent).then_some(admitted)
}

/// Returns an answer that says how many requests are left.
fn told(mut response: Response, left: Option<Left>) -> Response {
    if let Some(left) = left {
        left.tell(&mut response);
    }
    response
}

/// Returns who asks.
async fn visitor(house: &House, token: Option<&str>) -> Outcome<Visitor> {
    let engine = house.engine().await?;
    if let Some(token) = token {
        let admitted = engine.authenticate(token).await.map_err(|error| match error.kind() {
            ErrorKind::Unauthorized => Failure::unknown_caller(&error.to_string()),
            _ => error.into(),
        })?;
        let (caller, identifiers) = (admitted.caller, admitted.identifiers);
        return Ok(Visitor { caller, identifiers, token: Some(token.into()) });
    }
    match house.local() {
        Some(local) if !engine.has_keys().await? => Ok(local.clone()),
        _ => Err(Failure::unknown_caller("a key is needed: send it as Authorization: Bearer KEY")),
    }
}

/// Returns whether somebody who was let in would be let in now.
pub(super) async fn admits_still(house: &House, visitor: &Visitor) -> bool {
    self::visitor(house, visitor.token.as_deref()).await.is_ok()
}

/// Returns whether a key is sent along, whatever it is worth.
pub(super) fn has_key(headers: &HeaderMap) -> bool {
    headers.contains_key(header::AUTHORIZATION) || headers.contains_key(KEY)
}

/// Returns the key that is sent along, if one is.
fn token(headers: &HeaderMap) -> Outcome<Option<String>> {
    let misplaced = || Failure::unknown_caller("a key is sent as Authorization: Bearer KEY");
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let value = value.to_str().map_err(|_| misplaced())?;
        let (scheme, token) = value.split_once(' ').ok_or_else(misplaced)?;
        if !SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme)) {
            return Err(misplaced());
        }
        return Ok(Some(token.trim().to_owned()));
    }
    let key = headers.get(KEY).map(|key| key.to_str().map_err(|_| misplaced()));
    Ok(key.transpose()?.map(ToOwned::to_owned))
}
