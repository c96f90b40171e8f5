//! A transaction on a connection, and the scopes that it has opened.

use std::borrow::Cow;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use cofio::model::{Access, Grant, Layer, Scope};
use cofio::{Error, Result};
use deadpool_postgres::Object;
use tokio::time::timeout;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::connections::Connections;
use super::failure::{failed, is_lost, silent};

const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";

/// A transaction; if it is dropped before its end, so is the connection.
pub(super) struct Session {
    client: Option<Object>,
    open: Open,
    /// What begins the transaction, if it is one.
    begin: Option<&'static str>,
    /// Whether it has begun: that is said together with the first question.
    begun: AtomicBool,
    /// How long to wait for an answer.
    patience: Duration,
}

/// The scopes that a transaction has opened, by their numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Open {
    All,
    Only(Vec<i64>),
}

/// A scope that has ever held something.
#[derive(Debug, Clone)]
pub(super) struct Opened {
    /// Its place among the scopes that were asked for.
    pub(super) position: usize,
    pub(super) number: i64,
    pub(super) memories: u64,
    pub(super) passages: u64,
}

impl Session {
    /// Begins to read at one moment, in no scope yet.
    pub(super) async fn read(connections: &Connections) -> Result<Self> {
        Self::begin(connections, READ).await
    }

    /// Begins to read at one moment what access opens.
    pub(super) async fn read_open(connections: &Connections, access: &Access) -> Result<Self> {
        let mut session = Self::read(connections).await?;
        session.open_access(access).await?;
        Ok(session)
    }

    /// Begins to write, in no scope yet.
    pub(super) async fn write(connections: &Connections) -> Result<Self> {
        Self::begin(connections, WRITE).await
    }

    /// Asks one question, which needs no transaction, of what is nobody's.
    pub(super) async fn single(connections: &Connections) -> Result<Self> {
        Self::new(connections, None).await
    }

    async fn begin(connections: &Connections, begin: &'static str) -> Result<Self> {
        Self::new(connections, Some(begin)).await
    }

    async fn new(connections: &Connections, begin: Option<&'static str>) -> Result<Self> {
        let (client, open) = (Some(connections.get().await?), Open::Only(Vec::new()));
        let (begun, patience) = (AtomicBool::new(begin.is_none()), connections.patience());
        Ok(Self { client, open, begin, begun, patience })
    }

    fn client(&self) -> &Object {
        self.client.as_ref().expect("it is taken when the transaction ends")
    }

    /// Returns the scopes that were opened.
    pub(super) fn open(&self) -> &Open {
        &self.open
    }

    /// Opens every scope.
    pub(super) async fn open_all(&mut self) -> Result<()> {
        self.query("SELECT set_config('cofio.scopes', 'all', true)", &[]).await?;
        self.open = Open::All;
        Ok(())
    }

    /// Opens scopes by their numbers.
    pub(super) async fn open_numbers(&mut self, numbers: Vec<i64>) -> Result<()> {
        self.run(&opening(&numbers)).await?;
        self.open = Open::Only(numbers);
        Ok(())
    }

    /// Opens what access opens.
    async fn open_access(&mut self, access: &Access) -> Result<()> {
        let limited = |layer: &&Layer| matches!(access.grant(**layer), Grant::Only(_));
        if Layer::ALL.iter().find(limited).is_none() {
            return self.open_all().await;
        }
        let mut sql = Sql::new("true");
        for (place, &layer) in (1..).zip(Layer::ALL) {
            if let Grant::Only(names) = access.grant(layer) {
                let names: Vec<String> = names.iter().map(ToString::to_string).collect();
                let names = sql.bind(names);
                sql.push(&format!(
                    " AND (s.names[{place}] IS NULL OR s.names[{place}] = ANY ({names}))"
                ));
            }
        }
        self.open_where(sql).await.map(drop)
    }

    /// Opens scopes, and returns those that have ever held something.
    pub(super) async fn open_scopes(&mut self, scopes: &[Scope]) -> Result<Vec<Opened>> {
        let texts: Vec<String> = scopes.iter().map(ToString::to_string).collect();
        let mut sql = Sql::default();
        let wanted = sql.bind(texts.clone());
        sql.push(&format!("s.text = ANY ({wanted})"));
        let rows = self.open_where(sql).await?;
        let mut opened = Vec::with_capacity(rows.len());
        for row in rows {
            let text: &str = row.get(1);
            if let Some(position) = texts.iter().position(|wanted| wanted == text) {
                let number = |column| row.get::<_, i64>(column).unsigned_abs();
                let (memories, passages) = (number(2), number(3));
                opened.push(Opened { position, number: row.get(0), memories, passages });
            }
        }
        opened.sort_by_key(|scope| scope.position);
        Ok(opened)
    }

    async fn open_where(&mut self, condition: Sql) -> Result<Vec<Row>> {
        let text = format!(
            "WITH found AS MATERIALIZED (
                 SELECT s.scope, s.text, s.memories, s.passages FROM scopes AS s WHERE {}
             )
             SELECT found.*, set_config('cofio.scopes',
                 (SELECT '{{' || string_agg(found.scope::text, ',') || '}}' FROM found), true)
             FROM found",
            condition.text
        );
        let rows = self.run(&Sql { text, ..condition }).await?;
        self.open = Open::Only(rows.iter().map(|row| row.get(0)).collect());
        Ok(rows)
    }

    /// Runs a query and returns its rows.
    pub(super) async fn query(
        &self,
        sql: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>> {
        let client = self.client();
        self.answered(async {
            let statement = client.prepare_cached(sql).await?;
            let begin = self.begin.filter(|_| !self.begun.swap(true, Ordering::Relaxed));
            let Some(begin) = begin else { return client.query(&statement, values).await };
            let (begun, rows) =
                tokio::join!(biased; client.batch_execute(begin), client.query(&statement, values));
            begun.and(rows)
        })
        .await
    }

    /// Waits for an answer, but not longer than a server takes that still does something.
    async fn answered<T>(
        &self,
        asked: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        let answer = timeout(self.patience, asked).await.map_err(|_| silent(self.patience))?;
        answer.map_err(failed)
    }

    /// Runs a statement and returns how many rows it changed.
    pub(super) async fn execute(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<u64> {
        let client = self.client();
        self.answered(async {
            let statement = client.prepare_cached(sql).await?;
            client.execute(&statement, values).await
        })
        .await
    }

    /// Runs a query that was put together, and returns its rows.
    pub(super) async fn run(&self, sql: &Sql) -> Result<Vec<Row>> {
        self.query(&sql.text, &sql.values()).await
    }

    /// Runs statements one after the other, without waiting for one before the next is sent.
    ///
    /// If one fails, so do those after it.
    pub(super) async fn pipeline(&self, all: &[Sql]) -> Result<()> {
        let client = self.client();
        let mut statements = Vec::with_capacity(all.len());
        for sql in all {
            statements.push(self.answered(client.prepare_cached(&sql.text)).await?);
        }
        let values: Vec<Vec<&(dyn ToSql + Sync)>> = all.iter().map(Sql::values).collect();
        let sent = statements.iter().zip(&values);
        let sent = sent.map(|(statement, values)| self.answered(client.execute(statement, values)));
        in_order(sent.collect()).await.into_iter().try_for_each(|done| done.map(drop))
    }

    /// Ends a transaction in which nothing is to be kept, and passes an answer on.
    ///
    /// Nobody has to wait for the end. A connection that was lost is given up at once, so that
    /// another may take its place.
    pub(super) fn end<T>(mut self, answer: Result<T>) -> Result<T> {
        if answer.as_ref().is_err_and(is_lost) {
            return answer;
        }
        let Some(client) = self.client.take() else { return answer };
        if self.begin.is_none() || !self.begun.load(Ordering::Relaxed) {
            return answer;
        }
        let patience = self.patience;
        tokio::spawn(async move {
            let ended = timeout(patience, client.batch_execute("ROLLBACK")).await;
            if !matches!(ended, Ok(Ok(()))) {
                // Nobody knows what state it is in.
                drop(Object::take(client));
            }
        });
        answer
    }

    /// Keeps what was written.
    pub(super) async fn commit(mut self) -> Result<()> {
        let committed = self.answered(self.client().batch_execute("COMMIT")).await;
        if committed.is_ok() {
            drop(self.client.take());
        }
        committed.map_err(|error| if is_lost(&error) { error.undecided() } else { error })
    }

    /// Keeps what was written if it came to a good end.
    pub(super) async fn finish<T>(self, answer: Result<T>) -> Result<T> {
        match answer {
            Ok(answer) => self.commit().await.map(|()| answer),
            Err(error) => self.end(Err::<T, Error>(error)),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Nobody knows what state it is in.
        if let Some(client) = self.client.take() {
            drop(Object::take(client));
        }
    }
}

/// Returns the statement that opens scopes by their numbers.
pub(super) fn opening(numbers: &[i64]) -> Sql {
    let names: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    let setting = format!("{{{}}}", names.join(","));
    Sql::with("SELECT set_config('cofio.scopes', $1, true)", vec![Box::new(setting)])
}

/// Waits for futures that begin in their order.
async fn in_order<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut running: Vec<_> = futures.into_iter().map(Box::pin).collect();
    let mut outputs: Vec<Option<F::Output>> = running.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (future, output) in running.iter_mut().zip(&mut outputs) {
            if output.is_none()
                && let Poll::Ready(value) = future.as_mut().poll(context)
            {
                *output = Some(value);
            }
        }
        if outputs.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    outputs.into_iter().flatten().collect()
}

/// SQL that is put together, with the values of its parameters.
#[derive(Default)]
pub(super) struct Sql {
    pub(super) text: String,
    values: Vec<Box<dyn ToSql + Sync + Send>>,
}

impl Sql {
    pub(super) fn new<'a>(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into().into_owned(), values: Vec::new() }
    }

    /// Takes a statement with its values.
    pub(super) fn with(text: &str, values: Vec<Box<dyn ToSql + Sync + Send>>) -> Self {
        Self { text: text.to_owned(), values }
    }

    fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect()
    }

    /// Adds text.
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds a value, and returns the parameter that stands for it.
    pub(super) fn bind(&mut self, value: impl ToSql + Sync + Send + 'static) -> String {
        self.values.push(Box::new(value));
        format!("${}", self.values.len())
    }

    /// Returns the scopes that were opened, as rows.
    pub(super) fn scopes(&mut self, open: &Open) -> String {
        match open {
            Open::All => "(SELECT scope FROM scopes)".to_owned(),
            Open::Only(numbers) => format!("unnest({}::bigint[])", self.bind(numbers.clone())),
        }
    }

    /// Returns the condition that a row of a table is in a scope that was opened.
    pub(super) fn within(&mut self, table: &str, open: &Open) -> String {
        match open {
            Open::All => "true".to_owned(),
            Open::Only(numbers) => format!("{table}.scope = ANY ({})", self.bind(numbers.clone())),
        }
    }
}
