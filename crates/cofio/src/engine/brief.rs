use super::Engine;
use crate::error::{Error, Result};
use crate::lifecycle::brief::Brief;
use crate::model::{Caller, Criteria, Filter, Kind, Right, Scope, State, Timestamp};

impl Engine {
    /// Returns what the time since a moment has brought in some scopes.
    pub async fn brief(
        &self,
        caller: &Caller,
        scopes: &[Scope],
        since: Timestamp,
    ) -> Result<Brief> {
        let look = async {
            caller.require(Right::Read)?;
            scopes.iter().try_for_each(|scope| super::check_open(caller, scope))?;
            self.look_back(caller, scopes, since).await
        };
        look.await.map_err(|error: Error| error.during("brief"))
    }

    /// Returns what the time since a moment has brought in scopes that the caller opens.
    pub(super) async fn look_back(
        &self,
        caller: &Caller,
        scopes: &[Scope],
        since: Timestamp,
    ) -> Result<Brief> {
        let criteria = Criteria {
            kinds: vec![Kind::Fact, Kind::Procedure, Kind::Reflection],
            states: State::ALL.to_vec(),
            ..Criteria::default()
        };
        let filter = Filter { scopes: scopes.to_vec(), now: self.now(), criteria };
        let mut memories = self.all(&filter).await?;
        memories.retain(|memory| memory.key.is_none());
        let mut forgotten = 0;
        for scope in scopes {
            // No more than this place, of what may be very many.
            let only = Caller::bound(caller.actor().clone(), scope.identifiers());
            let gone = self.store.tombstones(only.access()).await?;
            forgotten += gone.iter().filter(|one| one.at >= since && one.scope == *scope).count();
        }
        Ok(Brief::of(memories, since, forgotten))
    }
}
