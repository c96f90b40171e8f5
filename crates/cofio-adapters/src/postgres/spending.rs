//! What language models cost.

use cofio::Result;
use cofio::model::{Amount, Spending, Spent};
use cofio::store::Permit;
use tokio_postgres::Row;

use super::audit::Head;
use super::plain::{original, plain};
use super::rows::{bounded, count, damaged, get};
use super::session::Session;

/// Writes down what a call may cost if it is permitted in the light of what was spent, and returns
/// its ticket.
pub(super) async fn reserve(session: &Session, spending: &Spending, permit: Permit) -> Result<u64> {
    // Of several who ask at once, each sees those before it.
    Head::lock(session).await?;
    let Spending { day, job, scope, model, amount, settled } = spending;
    let (day, job, scope) = (day.to_string(), plain(job), plain(scope));
    let rows = session
        .query(
            "SELECT day = $1, job = $2, day = $1 AND scope = $3, input, output, money
             FROM spending WHERE day = $1 OR job = $2",
            &[&day, &job, &scope],
        )
        .await?;
    let mut spent = Spent::default();
    for row in &rows {
        let amount = amount_of(row, 3)?;
        for (column, sum) in
            [&mut spent.day, &mut spent.job, &mut spent.scope].into_iter().enumerate()
        {
            if get(row, column)? {
                *sum = sum.plus(amount);
            }
        }
    }
    permit(&spent)?;
    let [input, output, money] = numbers(*amount);
    let rows = session
        .query(
            "INSERT INTO spending (day, job, scope, model, input, output, money, settled)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ticket",
            &[&day, &job, &scope, &plain(model), &input, &output, &money, settled],
        )
        .await?;
    count(&rows[0], 0)
}

/// Puts what a call did cost in the place of what it might; nothing gives it back.
pub(super) async fn settle(session: &Session, ticket: u64, amount: Option<Amount>) -> Result<()> {
    let ticket = bounded(ticket);
    let changed = match amount.map(numbers) {
        Some([input, output, money]) => {
            let sql = "UPDATE spending SET input = $2, output = $3, money = $4, settled = true
                       WHERE ticket = $1";
            session.execute(sql, &[&ticket, &input, &output, &money]).await
        }
        None => session.execute("DELETE FROM spending WHERE ticket = $1", &[&ticket]).await,
    };
    changed.map(drop)
}

/// Returns what was spent, the latest first.
pub(super) async fn list(session: &Session, limit: usize) -> Result<Vec<Spending>> {
    let sql = "SELECT day, job, scope, model, settled, input, output, money FROM spending
               ORDER BY ticket DESC LIMIT $1";
    let spending = |row: &Row| {
        let text = |column| get::<String>(row, column).map(original);
        Ok(Spending {
            day: get::<&str>(row, 0)?.parse().map_err(|_| damaged("a day in the ledger"))?,
            job: text(1)?,
            scope: text(2)?,
            model: text(3)?,
            amount: amount_of(row, 5)?,
            settled: get(row, 4)?,
        })
    };
    session.query(sql, &[&bounded(limit)]).await?.iter().map(spending).collect()
}

fn amount_of(row: &Row, first: usize) -> Result<Amount> {
    let number = |column| count(row, first + column);
    Ok(Amount { input: number(0)?, output: number(1)?, money: number(2)? })
}

/// Returns an amount as PostgreSQL keeps it, which has no larger numbers.
fn numbers(amount: Amount) -> [i64; 3] {
    [amount.input, amount.output, amount.money].map(bounded)
}
