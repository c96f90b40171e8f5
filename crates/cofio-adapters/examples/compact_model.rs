//! Makes the model file by hand: `cargo run --release --features minilm --example compact_model -- FOLDER FILE`.

use std::path::Path;

fn main() -> cofio::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, target] = &arguments[..] else {
        return Err(cofio::Error::invalid("name the folder of the model and the file to write"));
    };
    cofio_adapters::minilm::compact(Path::new(source), Path::new(target))
}
