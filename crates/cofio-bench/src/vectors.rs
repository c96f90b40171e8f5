//! Vector search in the SQLite store: recall against comparing everything, times and sizes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use cofio::store::VectorTables;
use fastrand::Rng;
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};

use crate::machine::{percentile, resident_megabytes};

/// How many dimensions vectors have.
const DIMENSIONS: usize = 384;

/// How many vectors at the end of a file are questions.
const QUESTIONS: usize = 500;

/// How many questions are compared with every vector.
const COMPARED: usize = 200;

/// How many neighbours are looked for.
const LIMIT: usize = 10;

/// How many vectors are inserted together, and how many one by one.
const BATCH: usize = 100;
const SINGLE_INSERTS: usize = 200;

/// How often a process is started to time its first answer.
const COLD_STARTS: usize = 9;

/// How often the same questions are asked again.
const ROUNDS: usize = 10;

/// How strong the noise in each dimension of a derived vector is.
const NOISE: f32 = 0.01;

/// What to measure.
#[derive(clap::Args)]
pub struct Arguments {
    /// How many vectors the stores hold.
    #[arg(long, value_delimiter = ',', default_value = "10000,100000,1000000")]
    sizes: Vec<usize>,
    /// Vectors of sentences: little-endian f32, 384 per row, the last 500 rows being questions.
    /// Without it, vectors are made up.
    #[arg(long)]
    vectors: Option<PathBuf>,
}

/// Which store to search.
#[derive(clap::Args)]
pub struct ProbeArguments {
    store: PathBuf,
    questions: PathBuf,
}

#[derive(Serialize)]
struct Report {
    command: &'static str,
    /// Where vectors come from.
    source: String,
    runs: Vec<Run>,
}

#[derive(Serialize)]
struct Run {
    vectors: usize,
    /// Whether vectors were added between those of the source to reach the number.
    derived: bool,
    recall_at_10: f64,
    /// The largest difference of a cosine to the exact one.
    cosine_error: f64,
    /// How far the deviation of all cosines is off: the mean, and for one question in 20.
    deviation_error_mean: f64,
    deviation_error_p95: f64,
    /// Questions asked for the first time, in a process that has answered others.
    new_question_p50_ms: f64,
    new_question_p95_ms: f64,
    /// The same questions again, the fastest of some times, since machines do other things too.
    same_question_p50_ms: f64,
    same_question_p95_ms: f64,
    cosines_of_100_p50_ms: f64,
    after_insert_p50_ms: f64,
    /// From the start of a process to its end, and from opening the file to the answer.
    cold_process_p50_ms: f64,
    cold_answer_p50_ms: f64,
    batch_inserts_per_second: f64,
    single_inserts_per_second: f64,
    bytes_per_vector: f64,
    resident_megabytes: Option<f64>,
}

#[derive(Serialize, Deserialize)]
struct Cold {
    answer_ms: f64,
}

/// Measures every size and prints one JSON document.
pub fn run(arguments: &Arguments) -> Result<()> {
    let (mut source, name) = match &arguments.vectors {
        Some(path) => (Matrix::read(path)?, path.display().to_string()),
        None => (Matrix::made_up(20_000 + QUESTIONS), "made up".to_owned()),
    };
    ensure!(source.len() > 2 * QUESTIONS, "there are too few vectors");
    let questions = source.split_off(source.len() - QUESTIONS);
    let mut runs = Vec::new();
    for &size in &arguments.sizes {
        runs.push(measure(&source, &questions, size)?);
    }
    let command = "cargo run --release -p cofio-bench -- vectors";
    println!("{}", serde_json::to_string_pretty(&Report { command, source: name, runs })?);
    Ok(())
}

/// Answers one question from an existing store, and prints how long that took.
pub fn probe(arguments: &ProbeArguments) -> Result<()> {
    let questions = Matrix::read(&arguments.questions)?;
    let begun = Instant::now();
    let mut tables = VectorTables::open(&arguments.store, DIMENSIONS)?;
    tables.nearest(questions.row(0), LIMIT)?;
    let answer_ms = begun.elapsed().as_secs_f64() * 1e3;
    println!("{}", serde_json::to_string(&Cold { answer_ms })?);
    Ok(())
}

fn measure(source: &Matrix, questions: &Matrix, size: usize) -> Result<Run> {
    let vectors = source.extended(size);
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("cofio.db");
    let mut tables = VectorTables::open(&path, DIMENSIONS)?;
    let batch_inserts_per_second = fill(&mut tables, &vectors)?;
    drop(tables);
    let bytes_per_vector = std::fs::metadata(&path)?.len() as f64 / size as f64;
    let (cold_process_p50_ms, cold_answer_p50_ms) = start_coldly(&path, questions, &folder)?;

    let mut tables = VectorTables::open(&path, DIMENSIONS)?;
    let (warming, timed) = (0..QUESTIONS / 2, QUESTIONS / 2..QUESTIONS);
    time(warming, |question| tables.nearest(questions.row(question), LIMIT).map(drop))?;
    let mut new =
        time(timed.clone(), |question| tables.nearest(questions.row(question), LIMIT).map(drop))?;
    let mut same = vec![f64::INFINITY; timed.len()];
    for _ in 0..ROUNDS {
        let round = time(timed.clone(), |question| {
            tables.nearest(questions.row(question), LIMIT).map(drop)
        })?;
        for (fastest, sample) in same.iter_mut().zip(round) {
            *fastest = fastest.min(sample);
        }
    }
    let quality = Quality::measure(&mut tables, &vectors, questions)?;
    let mut random = Rng::with_seed(4);
    let some: Vec<i64> = (0..100).map(|_| number(random.usize(1..=size))).collect();
    let mut cosines =
        time(0..200, |question| tables.cosines(questions.row(question), &some).map(drop))?;
    let mut after_insert = Vec::new();
    let begun = Instant::now();
    let mut searching = 0.0;
    for single in 0..SINGLE_INSERTS {
        let vector = questions.row(single);
        tables.insert(number(size + 1 + single), std::iter::once(vector))?;
        let searched = Instant::now();
        tables.nearest(questions.row(QUESTIONS - 1 - single), LIMIT)?;
        let elapsed = searched.elapsed().as_secs_f64();
        searching += elapsed;
        after_insert.push(elapsed * 1e3);
    }
    let inserting = begun.elapsed().as_secs_f64() - searching;
    Ok(Run {
        vectors: size,
        derived: size > source.len(),
        recall_at_10: quality.recall,
        cosine_error: quality.cosine_error,
        deviation_error_mean: quality.deviation_error_mean,
        deviation_error_p95: quality.deviation_error_p95,
        new_question_p50_ms: percentile(&mut new, 0.5),
        new_question_p95_ms: percentile(&mut new, 0.95),
        same_question_p50_ms: percentile(&mut same, 0.5),
        same_question_p95_ms: percentile(&mut same, 0.95),
        cosines_of_100_p50_ms: percentile(&mut cosines, 0.5),
        after_insert_p50_ms: percentile(&mut after_insert, 0.5),
        cold_process_p50_ms,
        cold_answer_p50_ms,
        batch_inserts_per_second,
        single_inserts_per_second: SINGLE_INSERTS as f64 / inserting,
        bytes_per_vector,
        resident_megabytes: resident_megabytes(),
    })
}

fn fill(tables: &mut VectorTables, vectors: &Matrix) -> Result<f64> {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}")?;
    let progress = ProgressBar::new(vectors.len() as u64).with_style(style);
    progress.set_message("inserting");
    let begun = Instant::now();
    for first in (0..vectors.len()).step_by(BATCH) {
        let last = (first + BATCH).min(vectors.len());
        tables.insert(number(first + 1), (first..last).map(|row| vectors.row(row)))?;
        progress.inc(BATCH as u64);
    }
    progress.finish_and_clear();
    Ok(vectors.len() as f64 / begun.elapsed().as_secs_f64())
}

/// Returns the number of a memory.
fn number(count: usize) -> i64 {
    count.try_into().expect("sizes are small")
}

fn time(
    numbers: std::ops::Range<usize>,
    mut task: impl FnMut(usize) -> cofio::Result<()>,
) -> Result<Vec<f64>> {
    let mut samples = Vec::new();
    for number in numbers {
        let begun = Instant::now();
        task(number)?;
        samples.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    Ok(samples)
}

/// Returns how long processes that answer one question take, as a whole and for the answer.
fn start_coldly(path: &Path, questions: &Matrix, folder: &tempfile::TempDir) -> Result<(f64, f64)> {
    let (mut processes, mut answers) = (Vec::new(), Vec::new());
    let file = folder.path().join("question");
    for number in 0..COLD_STARTS {
        let bytes: Vec<u8> = questions.row(number).iter().flat_map(|x| x.to_le_bytes()).collect();
        std::fs::write(&file, bytes)?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("vectors-probe").arg(path).arg(&file);
        let begun = Instant::now();
        let output = command.output()?;
        processes.push(begun.elapsed().as_secs_f64() * 1e3);
        let stderr = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "probe failed: {stderr}");
        answers.push(serde_json::from_slice::<Cold>(&output.stdout)?.answer_ms);
    }
    Ok((percentile(&mut processes, 0.5), percentile(&mut answers, 0.5)))
}

/// How good the answers are.
struct Quality {
    recall: f64,
    cosine_error: f64,
    deviation_error_mean: f64,
    deviation_error_p95: f64,
}

impl Quality {
    fn measure(tables: &mut VectorTables, vectors: &Matrix, questions: &Matrix) -> Result<Self> {
        let (mut hits, mut cosine_error, mut deviation_errors) = (0, 0.0_f64, Vec::new());
        for number in 0..COMPARED {
            let question = questions.row(number);
            let found = tables.nearest(question, LIMIT)?;
            let cosines: Vec<f32> =
                (0..vectors.len()).map(|row| dot(vectors.row(row), question)).collect();
            let mut order: Vec<usize> = (0..cosines.len()).collect();
            let (nearest, _, _) =
                order.select_nth_unstable_by(LIMIT, |&a, &b| cosines[b].total_cmp(&cosines[a]));
            for (memory, cosine) in found.memories {
                let row = usize::try_from(memory - 1)?;
                hits += usize::from(nearest.contains(&row));
                cosine_error = cosine_error.max(f64::from((cosine - cosines[row]).abs()));
            }
            let count = cosines.len() as f64;
            let mean = cosines.iter().map(|&x| f64::from(x)).sum::<f64>() / count;
            let squares = cosines.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>();
            let deviation = (squares / count).sqrt();
            deviation_errors.push((found.deviation / deviation - 1.0).abs());
        }
        Ok(Self {
            recall: hits as f64 / (COMPARED * LIMIT) as f64,
            cosine_error,
            deviation_error_mean: deviation_errors.iter().sum::<f64>() / COMPARED as f64,
            deviation_error_p95: percentile(&mut deviation_errors, 0.95),
        })
    }
}

/// Vectors one after another.
struct Matrix(Vec<f32>);

impl Matrix {
    fn read(path: &Path) -> Result<Self> {
        let bytes =
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        ensure!(
            bytes.len() % (4 * DIMENSIONS) == 0,
            "a row is not {DIMENSIONS} numbers of 4 bytes"
        );
        Ok(Self(bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()))
    }

    /// Makes vectors up, in groups whose members are near to each other.
    fn made_up(rows: usize) -> Self {
        let mut random = Rng::with_seed(5);
        let mut normal = || (0..6).map(|_| random.f32()).sum::<f32>() - 3.0;
        let centres: Vec<Vec<f32>> =
            (0..rows / 20).map(|_| (0..DIMENSIONS).map(|_| normal()).collect()).collect();
        let mut matrix = Self(Vec::with_capacity(rows * DIMENSIONS));
        for row in 0..rows {
            let centre = &centres[row % centres.len()];
            matrix.push(centre.iter().map(|x| x + normal()).collect());
        }
        matrix
    }

    /// Returns the first `rows`, or all and further ones that lie between two of them.
    fn extended(&self, rows: usize) -> Self {
        let mut random = Rng::with_seed(6);
        let mut matrix = Self(self.0[..self.0.len().min(rows * DIMENSIONS)].to_vec());
        matrix.0.reserve(rows * DIMENSIONS - matrix.0.len());
        while matrix.len() < rows {
            let (one, other) = (random.usize(..self.len()), random.usize(..self.len()));
            let share = random.f32();
            let between = self.row(one).iter().zip(self.row(other));
            let noise = |random: &mut Rng| (0..6).map(|_| random.f32()).sum::<f32>() - 3.0;
            let derived = between
                .map(|(a, b)| a * share + b * (1.0 - share) + NOISE * 1.4 * noise(&mut random))
                .collect();
            matrix.push(derived);
        }
        matrix
    }

    /// Adds a vector with length one.
    fn push(&mut self, vector: Vec<f32>) {
        let length = dot(&vector, &vector).sqrt();
        self.0.extend(vector.into_iter().map(|x| x / length));
    }

    fn split_off(&mut self, row: usize) -> Self {
        Self(self.0.split_off(row * DIMENSIONS))
    }

    fn len(&self) -> usize {
        self.0.len() / DIMENSIONS
    }

    fn row(&self, number: usize) -> &[f32] {
        &self.0[number * DIMENSIONS..][..DIMENSIONS]
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; 16];
    for (a, b) in a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}
