//! What language models cost.

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::read::collect;
use super::{failed, unexpected};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Amount, Spending, Spent};
use crate::store::Permit;

/// Writes down what a call may cost if it is permitted in the light of what was spent, and returns
/// its ticket.
pub(super) fn reserve(
    connection: &mut Connection,
    spending: &Spending,
    permit: Permit,
) -> Result<u64> {
    let cannot_write = |cause| failed(cause, "cannot write to the database");
    let transaction =
        Transaction::new(connection, TransactionBehavior::Immediate).map_err(cannot_write)?;
    let spent = Spent {
        day: sum(&transaction, "day = ?", &[&spending.day.to_string()])?,
        job: sum(&transaction, "job = ?", &[&spending.job])?,
        scope: sum(
            &transaction,
            "day = ? AND scope = ?",
            &[&spending.day.to_string(), &spending.scope],
        )?,
    };
    permit(&spent)?;
    let Spending { day, job, scope, model, amount, settled } = spending;
    let ticket = transaction
        .prepare_cached(
            "INSERT INTO spending (day, job, scope, model, input, output, money, settled)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .and_then(|mut insert| {
            let [input, output, money] = numbers(*amount);
            insert.insert(params![
                day.to_string(),
                job,
                scope,
                model,
                input,
                output,
                money,
                settled
            ])
        })
        .map_err(unexpected)?;
    transaction.commit().map_err(cannot_write)?;
    Ok(ticket.unsigned_abs())
}

/// Puts what a call did cost in the place of what it might; nothing gives it back.
pub(super) fn settle(connection: &Connection, ticket: u64, amount: Option<Amount>) -> Result<()> {
    let ticket = ticket.cast_signed();
    let changed = match amount {
        Some(amount) => {
            let [input, output, money] = numbers(amount);
            connection.execute(
                "UPDATE spending SET input = ?, output = ?, money = ?, settled = 1 WHERE ticket = ?",
                params![input, output, money, ticket],
            )
        }
        None => connection.execute("DELETE FROM spending WHERE ticket = ?", [ticket]),
    };
    changed.map(drop).map_err(unexpected)
}

/// Returns what was spent, the latest first.
pub(super) fn list(connection: &Connection, limit: usize) -> Result<Vec<Spending>> {
    let sql = "SELECT day, job, scope, model, input, output, money, settled FROM spending
               ORDER BY ticket DESC LIMIT ?";
    let limit = Sql::from(i64::try_from(limit).unwrap_or(i64::MAX));
    collect(connection, sql, [limit], |row| {
        let text = |column| row.get::<_, String>(column).map_err(unexpected);
        let number = |column| row.get::<_, i64>(column).map(i64::unsigned_abs).map_err(unexpected);
        let unreadable = |_| Error::new(ErrorKind::Damaged, "a day in the ledger cannot be read");
        Ok(Spending {
            day: text(0)?.parse().map_err(unreadable)?,
            job: text(1)?,
            scope: text(2)?,
            model: text(3)?,
            amount: Amount { input: number(4)?, output: number(5)?, money: number(6)? },
            settled: row.get(7).map_err(unexpected)?,
        })
    })
}

fn sum(connection: &Connection, condition: &str, values: &[&str]) -> Result<Amount> {
    let sql = format!("SELECT input, output, money FROM spending WHERE {condition}");
    let values = values.iter().map(|value| Sql::from((*value).to_owned()));
    let amounts = collect(connection, &sql, values, |row| {
        let number = |column| row.get::<_, i64>(column).map(i64::unsigned_abs).map_err(unexpected);
        Ok(Amount { input: number(0)?, output: number(1)?, money: number(2)? })
    })?;
    Ok(amounts.into_iter().fold(Amount::default(), Amount::plus))
}

/// Returns an amount as SQLite keeps it, which has no larger numbers.
fn numbers(amount: Amount) -> [i64; 3] {
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    [number(amount.input), number(amount.output), number(amount.money)]
}
