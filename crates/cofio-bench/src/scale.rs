//! What happens up to a hundred million memories: figures of a few sizes, how they grow, and where
//! that leads.
//!
//! Nothing is known of a size that was not measured but what follows from how figures grew until
//! then. Half of all memories belong to one person, the others to people who have a hundred each.

mod growth;
mod index;
mod points;

use anyhow::{Result, ensure};
use serde::Serialize;

use self::growth::Growth;
use self::index::IndexPoint;
use self::points::Point;
use crate::database::Database;
use crate::providers::contender::{Addresses, Contender, Place};
use crate::providers::shown;
use crate::table::table;

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// The sizes that nobody measures here.
const FAR: [f64; 3] = [1e6, 1e7, 1e8];

/// What to measure, and what there is.
#[derive(clap::Args)]
pub struct Arguments {
    /// Which stores to fill.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "sqlite,postgres")]
    stores: Vec<Contender>,
    /// To how many memories, in growing order; three or more.
    #[arg(long, value_delimiter = ',', default_value = "10000,30000,100000")]
    sizes: Vec<usize>,
    /// To how many vectors PostgreSQL's index is filled by itself; none means not at all.
    #[arg(long, num_args = 0.., value_delimiter = ',', default_value = "10000,100000,1000000")]
    index_sizes: Vec<usize>,
    /// How many megabytes PostgreSQL may use to make that index; more than it takes, or it is made on disk.
    #[arg(long, default_value_t = 3_072)]
    index_memory: usize,
    /// How many gibibytes of memory the machine has for it.
    #[arg(long, default_value_t = 64.0)]
    memory: f64,
    /// How many gibibytes of disk.
    #[arg(long, default_value_t = 1_000.0)]
    disk: f64,
    /// How many milliseconds a search may take.
    #[arg(long, default_value_t = 200.0)]
    search: f64,
    /// Print JSON in the place of tables.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    addresses: Addresses,
}

#[derive(Serialize)]
struct Report {
    points: Vec<Point>,
    index: Vec<IndexPoint>,
    models: Vec<Model>,
}

/// How the figures of a store grow.
#[derive(Serialize)]
struct Model {
    store: Contender,
    bytes: Growth,
    hot_bytes: Growth,
    fill_ms: Growth,
    small_ms: Growth,
    large_ms: Growth,
    /// Finding what is near in the index of all vectors, without which no search of many is done.
    nearest_ms: Option<Growth>,
}

/// Measures, extrapolates, and prints tables or JSON.
pub fn run(arguments: &Arguments) -> Result<()> {
    ensure!(arguments.sizes.len() > 2, "give three sizes or more: two predict nothing");
    let mut report = Report { points: Vec::new(), index: Vec::new(), models: Vec::new() };
    for &contender in &arguments.stores {
        let place = Place::open(contender, &arguments.addresses)?;
        let measured = points::measured(contender, &place, &arguments.sizes);
        place.close()?;
        let measured = measured?;
        report.points.extend(measured);
    }
    if !arguments.index_sizes.is_empty() {
        let database = Database::open(&arguments.addresses.postgres()?)?;
        report.index = index::measured(&database, &arguments.index_sizes, arguments.index_memory)?;
    }
    let models = arguments.stores.iter().filter_map(|store| report.model(*store));
    report.models = models.collect();
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        report.show(arguments);
    }
    Ok(())
}

impl Model {
    fn of(store: Contender, points: &[&Point], nearest_ms: Option<Growth>) -> Option<Self> {
        let pairs = |of: fn(&Point) -> f64| -> Vec<(f64, f64)> {
            points.iter().map(|point| (point.memories as f64, of(point))).collect()
        };
        // A file is looked through from one end to the other.
        let large = match store {
            Contender::Postgres | Contender::Tiered => Growth::of,
            Contender::Sqlite | Contender::Chroma | Contender::Mem0 => Growth::linear,
        };
        Some(Self {
            store,
            bytes: Growth::linear(&pairs(|point| point.bytes))?,
            hot_bytes: Growth::linear(&pairs(|point| point.hot_bytes))?,
            fill_ms: Growth::of(&pairs(|point| point.fill_ms))?,
            small_ms: Growth::of(&pairs(|point| point.small_ms))?,
            large_ms: large(&pairs(|point| point.large_ms))?,
            nearest_ms,
        })
    }

    /// Returns how long one who has half of all searches, which is no less than its index takes.
    fn half(&self, memories: f64) -> f64 {
        let nearest = self.nearest_ms.map_or(0.0, |growth| growth.at(memories));
        self.large_ms.at(memories).max(nearest)
    }

    /// Returns what of the machine is used up first, and at how many memories.
    fn first_limit(&self, arguments: &Arguments) -> Option<(&'static str, f64)> {
        let limits = [
            ("disk", self.bytes.reaches(arguments.disk * GIB)),
            ("memory", self.hot_bytes.reaches(arguments.memory * GIB)),
            ("search where few are", self.small_ms.reaches(arguments.search)),
            ("search where half of all are", self.large_ms.reaches(arguments.search)),
            (
                "the index of all vectors",
                self.nearest_ms.and_then(|growth| growth.reaches(arguments.search)),
            ),
        ];
        let reached = limits.into_iter().filter_map(|(name, at)| Some((name, at?)));
        reached.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Returns how many hours it takes to fill a store of so many, one after the other.
    fn hours(&self, memories: f64) -> f64 {
        // Each takes as long as one at half the way does.
        self.fill_ms.at(memories / 2.0) * memories / 3.6e6
    }
}

impl Report {
    /// Returns how the figures of a store grow, if it was measured.
    fn model(&self, store: Contender) -> Option<Model> {
        let points: Vec<&Point> = self.points.iter().filter(|point| point.store == store).collect();
        let nearest = match store {
            Contender::Postgres | Contender::Tiered => {
                Growth::of(&self.indexes(|it| it.nearest_ms))
            }
            Contender::Sqlite | Contender::Chroma | Contender::Mem0 => None,
        };
        Model::of(store, &points, nearest)
    }

    /// Returns a figure of the index at every size.
    fn indexes(&self, of: fn(&IndexPoint) -> f64) -> Vec<(f64, f64)> {
        self.index.iter().map(|point| (point.vectors as f64, of(point))).collect()
    }

    fn show(&self, arguments: &Arguments) {
        println!("measured\n{}", table(&self.measured()));
        for model in &self.models {
            println!("{}: how it grows\n{}", model.store, table(&model.growths()));
            println!("{}: where that leads\n{}", model.store, table(&model.far()));
            match model.first_limit(arguments) {
                Some((what, at)) => println!("first: {what}, at {} memories\n", count(at)),
                None => println!("nothing that was measured comes to an end\n"),
            }
        }
        if !self.index.is_empty() {
            println!("PostgreSQL's index of vectors by itself\n{}", table(&self.indexed()));
        }
    }

    fn measured(&self) -> Vec<Vec<String>> {
        let head = ["", "bytes each", "hot bytes each", "fill, ms", "search few, ms", "half, ms"];
        let mut rows = vec![head.map(ToOwned::to_owned).to_vec()];
        for point in &self.points {
            let memories = point.memories as f64;
            rows.push(vec![
                format!("{} {}", point.store, count(memories)),
                format!("{:.0}", point.bytes / memories),
                format!("{:.0}", point.hot_bytes / memories),
                shown(point.fill_ms),
                shown(point.small_ms),
                shown(point.large_ms),
            ]);
        }
        rows
    }

    fn indexed(&self) -> Vec<Vec<String>> {
        let head = ["vectors", "table GiB", "index GiB", "build, s", "nearest, ms"];
        let mut rows = vec![head.map(ToOwned::to_owned).to_vec()];
        for point in &self.index {
            rows.push(vec![
                count(point.vectors as f64),
                format!("{:.2}", point.table_bytes / GIB),
                format!("{:.2}", point.index_bytes / GIB),
                format!("{:.0}", point.build_seconds),
                shown(point.nearest_ms),
            ]);
        }
        let Some((table, index, build, nearest)) =
            Growth::linear(&self.indexes(|point| point.table_bytes))
                .zip(Growth::linear(&self.indexes(|point| point.index_bytes)))
                .zip(Growth::linear(&self.indexes(|point| point.build_seconds)))
                .zip(Growth::of(&self.indexes(|point| point.nearest_ms)))
                .map(|(((table, index), build), nearest)| (table, index, build, nearest))
        else {
            return rows;
        };
        rows.push(vec![
            "largest as predicted".to_owned(),
            off(table),
            off(index),
            off(build),
            off(nearest),
        ]);
        for memories in FAR {
            rows.push(vec![
                format!("{} (not measured)", count(memories)),
                format!("{:.1}", table.at(memories) / GIB),
                format!("{:.1}", index.at(memories) / GIB),
                format!("{:.0}", build.at(memories)),
                shown(nearest.at(memories)),
            ]);
        }
        rows
    }
}

impl Model {
    fn growths(&self) -> Vec<Vec<String>> {
        let named = [
            ("disk", self.bytes),
            ("memory", self.hot_bytes),
            ("fill", self.fill_ms),
            ("search, few", self.small_ms),
            ("search, half", self.large_ms),
        ];
        let mut rows =
            vec![vec![String::new(), "grows".to_owned(), "largest as predicted".to_owned()]];
        for (name, growth) in named {
            let shape = format!("{:?}", growth.shape).to_lowercase();
            rows.push(vec![name.to_owned(), shape, off(growth)]);
        }
        rows
    }

    fn far(&self) -> Vec<Vec<String>> {
        let head = ["memories", "disk GiB", "memory GiB", "few, ms", "half, ms", "fill, hours"];
        let mut rows = vec![head.map(ToOwned::to_owned).to_vec()];
        for memories in FAR {
            rows.push(vec![
                count(memories),
                format!("{:.0}", self.bytes.at(memories) / GIB),
                format!("{:.1}", self.hot_bytes.at(memories) / GIB),
                shown(self.small_ms.at(memories)),
                shown(self.half(memories)),
                format!("{:.1}", self.hours(memories)),
            ]);
        }
        rows
    }
}

fn off(growth: Growth) -> String {
    format!("{:+.0} %", growth.deviation * 100.0)
}

/// Writes a number as people say it.
fn count(number: f64) -> String {
    match number {
        number if number >= 1e6 => format!("{:.1}M", number / 1e6).replace(".0M", "M"),
        number if number >= 1e3 => format!("{:.0}k", number / 1e3),
        number => format!("{number:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(memories: usize) -> Point {
        let size = memories as f64;
        Point {
            store: Contender::Postgres,
            memories,
            bytes: 5_000.0 * size,
            hot_bytes: 1_000.0 * size,
            fill_ms: 2.0,
            small_ms: 4.0,
            large_ms: size.ln(),
        }
    }

    #[test]
    fn what_is_used_up_first_is_told() {
        let points = [10_000, 30_000, 100_000].map(point);
        let points: Vec<&Point> = points.iter().collect();
        let model = Model::of(Contender::Postgres, &points, None).unwrap();
        let mut arguments = arguments();
        let (what, at) = model.first_limit(&arguments).unwrap();
        assert_eq!((what, count(at).as_str()), ("memory", "68.7M"));
        arguments.disk = 10.0;
        assert_eq!(model.first_limit(&arguments).unwrap().0, "disk");
        assert!((model.hours(1e6) - 2e6 / 3.6e6).abs() < 1e-6);
    }

    #[test]
    fn no_search_takes_less_than_its_index() {
        let nearest: Vec<(f64, f64)> = [1e4, 3e4, 1e5].map(|size: f64| (size, size / 1e3)).into();
        let points = [10_000, 30_000, 100_000].map(point);
        let points: Vec<&Point> = points.iter().collect();
        let model = Model::of(Contender::Postgres, &points, Growth::of(&nearest)).unwrap();
        assert!((model.half(1e6) - 1e3).abs() < 1e-6);
        let (what, at) = model.first_limit(&arguments()).unwrap();
        assert_eq!((what, count(at).as_str()), ("the index of all vectors", "200k"));
    }

    fn arguments() -> Arguments {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            arguments: Arguments,
        }
        <Line as clap::Parser>::parse_from(["scale"]).arguments
    }

    #[test]
    fn numbers_are_written_as_people_say_them() {
        for (number, expected) in [(1e4, "10k"), (1e6, "1M"), (6.87e7, "68.7M"), (12.0, "12")] {
            assert_eq!(count(number), expected);
        }
    }
}
