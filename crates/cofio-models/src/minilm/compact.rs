//! Makes the file we compute with from the files a model is published as.

use std::io;
use std::path::Path;

use cofio::{Error, ErrorKind, Result};

use super::file;
use super::linear::Linear;
use super::model::{HEADS, INNER, LAYERS, Layer, Model, Norm, TOKENS, WIDTH};
use super::safetensors::Tensors;
use super::tokenizer::Tokenizer;
use super::vocabulary::Vocabulary;

/// Reads `model.safetensors` and `tokenizer.json` or `vocab.txt` in the folder `source`, and
/// writes the file that [`Minilm`](super::Minilm) opens.
///
/// The file appears at `target` whole or not at all, and replaces one that is there.
/// This reads 90 MB and takes about a second; it blocks.
pub fn compact(source: &Path, target: &Path) -> Result<()> {
    let tokenizer = Tokenizer::new(Vocabulary::from_folder(source)?)?;
    let path = source.join("model.safetensors");
    let mut tensors = Tensors::open(&path).map_err(|error| unread(&path, error))?;
    let hash = tensors.hash().map_err(|error| unread(&path, error))?;
    let vocabulary = tokenizer.vocabulary();
    let model = model(&mut tensors, vocabulary.len()).map_err(|error| unread(&path, error))?;
    file::write(target, hash, |body| {
        vocabulary.write(body)?;
        model.write(body)
    })
    .map_err(|error| {
        let message = format!("cannot write model {}", target.display());
        Error::new(ErrorKind::Provider, message).caused_by(error)
    })
}

fn unread(path: &Path, error: io::Error) -> Error {
    let kind = match error.kind() {
        io::ErrorKind::NotFound => ErrorKind::Configuration,
        _ => ErrorKind::Damaged,
    };
    Error::new(kind, format!("cannot read model {}", path.display())).caused_by(error)
}

fn model(tensors: &mut Tensors, words: usize) -> io::Result<Model> {
    let table = tensors.numbers("embeddings.word_embeddings.weight", &[words, WIDTH])?;
    let (words, word_scales) = rounded_rows(&table);
    Ok(Model {
        words,
        word_scales,
        positions: positions(tensors)?,
        norm: norm(tensors, "embeddings.LayerNorm")?,
        layers: (0..LAYERS).map(|number| layer(tensors, number)).collect::<io::Result<_>>()?,
    })
}

/// Rounds each row to signed bytes in a unit of its own.
fn rounded_rows(table: &[f32]) -> (Vec<u8>, Vec<f32>) {
    let mut bytes = Vec::with_capacity(table.len());
    let mut scales = Vec::with_capacity(table.len() / WIDTH);
    for row in table.chunks_exact(WIDTH) {
        let peak = row.iter().fold(f32::MIN_POSITIVE, |peak, number| peak.max(number.abs()));
        let scale = peak / 127.0;
        bytes.extend(row.iter().map(|number| byte(number / scale)));
        scales.push(scale);
    }
    (bytes, scales)
}

#[expect(clippy::cast_possible_truncation, reason = "it is from -127 to 127")]
fn byte(number: f32) -> u8 {
    (number.round() as i8).cast_unsigned()
}

/// Returns the vectors of the positions; all tokens are of the first type, so it is added here.
fn positions(tensors: &mut Tensors) -> io::Result<Vec<f32>> {
    let mut positions = tensors.numbers("embeddings.position_embeddings.weight", &[512, WIDTH])?;
    let types = tensors.numbers("embeddings.token_type_embeddings.weight", &[2, WIDTH])?;
    positions.truncate(TOKENS * WIDTH);
    for row in positions.chunks_exact_mut(WIDTH) {
        row.iter_mut().zip(&types[..WIDTH]).for_each(|(position, first)| *position += first);
    }
    Ok(positions)
}

fn layer(tensors: &mut Tensors, number: usize) -> io::Result<Layer> {
    let name = |part: &str| format!("encoder.layer.{number}.{part}");
    Ok(Layer {
        attention: attention(tensors, &name("attention.self"))?,
        attention_output: linear(tensors, &name("attention.output.dense"), WIDTH, WIDTH)?,
        attention_norm: norm(tensors, &name("attention.output.LayerNorm"))?,
        inner: linear(tensors, &name("intermediate.dense"), WIDTH, INNER)?,
        output: linear(tensors, &name("output.dense"), INNER, WIDTH)?,
        norm: norm(tensors, &name("output.LayerNorm"))?,
    })
}

fn attention(tensors: &mut Tensors, name: &str) -> io::Result<Linear> {
    let mut matrix = Vec::new();
    let mut bias = Vec::new();
    for part in ["query", "key", "value"] {
        let head = (WIDTH / HEADS) as f32;
        let factor = if part == "query" { head.sqrt().recip() } else { 1.0 };
        let weights = tensors.numbers(&format!("{name}.{part}.weight"), &[WIDTH, WIDTH])?;
        matrix.extend(weights.iter().map(|number| number * factor));
        let part = tensors.numbers(&format!("{name}.{part}.bias"), &[WIDTH])?;
        bias.extend(part.iter().map(|number| number * factor));
    }
    Ok(Linear::new(WIDTH, &matrix, bias))
}

fn linear(tensors: &mut Tensors, name: &str, inputs: usize, outputs: usize) -> io::Result<Linear> {
    let matrix = tensors.numbers(&format!("{name}.weight"), &[outputs, inputs])?;
    let bias = tensors.numbers(&format!("{name}.bias"), &[outputs])?;
    Ok(Linear::new(inputs, &matrix, bias))
}

fn norm(tensors: &mut Tensors, name: &str) -> io::Result<Norm> {
    Ok(Norm {
        gain: tensors.numbers(&format!("{name}.weight"), &[WIDTH])?,
        bias: tensors.numbers(&format!("{name}.bias"), &[WIDTH])?,
    })
}
