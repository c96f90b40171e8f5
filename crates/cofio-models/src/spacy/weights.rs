//! The weights of the model: as they are published, in one file of ours, and as a network.

use std::io;

use super::msgpack::{self, Value};
use super::network::{DEPTH, Linear, Mixing, Network, Table, WIDTH};
use super::parser::{HIDDEN, MOVES, PIECES, PLACES, Parser};

/// The tensors, in the order of our file, with how many numbers each has.
const SIZES: [usize; 25] = {
    const MIXED: usize = 3 * WIDTH;
    const STATE: usize = HIDDEN * PIECES;
    let mut sizes = [0; 25];
    // The parser's: places, bias, absent, moves, bias.
    sizes[0] = PLACES * STATE * WIDTH;
    sizes[1] = STATE;
    sizes[2] = PLACES * STATE;
    sizes[3] = MOVES * HIDDEN;
    sizes[4] = MOVES;
    // A gain and a shift for each mixing.
    let mut place = 5;
    while place < 15 {
        sizes[place] = WIDTH;
        place += 1;
    }
    // The weights and the bias of each mixing, with three pieces.
    sizes[15] = MIXED * 4 * WIDTH;
    sizes[16] = MIXED;
    let mut place = 17;
    while place < 25 {
        sizes[place] = MIXED * 3 * WIDTH;
        sizes[place + 1] = MIXED;
        place += 2;
    }
    sizes
};

/// The tables, in the order of our file: seed and rows of norms, prefixes, suffixes, shapes.
const TABLES: [(u32, usize); 4] = [(14, 2000), (15, 1000), (16, 1000), (17, 1000)];

/// Returns all weights in the order of our file, out of what was published.
pub(super) fn published(bytes: &[u8]) -> Option<Vec<f32>> {
    let model = msgpack::read(bytes)?;
    let layers = model.get("weights")?.items();
    let (tables, others): (Vec<_>, Vec<_>) =
        layers.iter().partition(|layer| layer.get("seed").is_some());
    let others =
        others.into_iter().flat_map(|layer| layer.get("params").map_or(&[][..], Value::items));
    let mut weights = Vec::new();
    for (size, parameter) in SIZES.into_iter().zip(others) {
        weights.extend(numbers(parameter, size)?);
    }
    for (seed, rows) in TABLES {
        let is_it =
            |layer: &&&Value<'_>| layer.get("seed") == Some(&Value::Integer(i64::from(seed)));
        let table = tables.iter().find(is_it)?.get("params")?.items().first()?;
        weights.extend(numbers(table, rows * WIDTH)?);
    }
    (weights.len() == count()).then_some(weights)
}

/// Returns how many numbers there are.
pub(super) fn count() -> usize {
    SIZES.iter().sum::<usize>() + TABLES.iter().map(|(_, rows)| rows * WIDTH).sum::<usize>()
}

fn numbers(parameter: &Value<'_>, size: usize) -> Option<Vec<f32>> {
    let tensor = parameter.get("value")?;
    let (numbers, rest) = tensor.get("data")?.bytes()?.as_chunks();
    let fits =
        tensor.get("type")?.text() == Some("<f4") && rest.is_empty() && numbers.len() == size;
    fits.then(|| numbers.iter().copied().map(f32::from_le_bytes).collect())
}

/// Makes the network and the parser of weights in the order of our file.
pub(super) fn build(weights: &[f32]) -> io::Result<(Network, Parser)> {
    if weights.len() != count() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut rest = weights;
    let mut next = |size: usize| {
        let (taken, behind) = rest.split_at(size);
        rest = behind;
        taken.to_vec()
    };
    let mut tensors = SIZES.map(&mut next).into_iter();
    let tables = TABLES.map(|(seed, rows)| Table { seed, vectors: next(rows * WIDTH) });
    let mut tensor = || tensors.next().expect("there are as many as sizes");
    let (places, hidden_bias, absent) = (tensor(), tensor(), tensor());
    let (moves, moves_bias) = (tensor(), tensor());
    let scales: [_; DEPTH + 1] = std::array::from_fn(|_| (tensor(), tensor()));
    let mut mixings = scales.into_iter().map(|(gain, shift)| {
        let (weights, bias) = (tensor(), tensor());
        Mixing { linear: Linear::new(&weights, bias), gain, shift }
    });
    let mut mixing = || mixings.next().expect("there is one more than the depth");
    let network =
        Network { tables, mixing: mixing(), with_neighbours: std::array::from_fn(|_| mixing()) };
    let parser = Parser {
        places: Linear::new(&places, vec![0.0; absent.len()]),
        absent,
        hidden_bias,
        moves: Linear::new(&moves, moves_bias),
    };
    Ok((network, parser))
}
