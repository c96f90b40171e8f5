use std::io::BufRead;

use cofio::model::Draft;
use cofio::{Error, ErrorKind, Result};
use serde::Deserialize;

use super::KnowledgeGraph;
use super::memories;
use super::shapes::{Entity, Relation};

/// How many memories are written together.
const PIECE: usize = 500;

/// What became of the file of a reference server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportedGraph {
    /// Memories that were added.
    pub created: u64,
    /// Memories that were there already.
    pub existing: u64,
    /// What the rules of every write refuse: credentials, and what was rejected before.
    pub refused: u64,
    /// Secrets that were taken out.
    pub redacted: u64,
}

/// A line of the file; other types of lines mean nothing to the reference server.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Entity(Entity),
    Relation(Relation),
    #[serde(other)]
    Other,
}

impl KnowledgeGraph {
    /// Takes in the file of a reference server; a second time it adds what is new.
    ///
    /// The file is read to its end first, and nothing is added if a line is malformed.
    pub async fn import(&self, input: impl BufRead) -> Result<ImportedGraph> {
        let (drafts, refused) = self.drafts(input)?;
        let mut imported = ImportedGraph { refused, ..ImportedGraph::default() };
        for piece in drafts.chunks(PIECE) {
            self.import_piece(piece, &mut imported).await?;
        }
        Ok(imported)
    }

    /// Returns what a file says, and how many of its lines have names that look like secrets.
    fn drafts(&self, input: impl BufRead) -> Result<(Vec<Draft>, u64)> {
        let (mut drafts, mut refused) = (Vec::new(), 0);
        for (number, line) in (1..).zip(input.lines()) {
            let line = line.map_err(|cause| cannot_read(number).caused_by(cause))?;
            if line.trim().is_empty() {
                continue;
            }
            let said = match serde_json::from_str(&line).map_err(|_| cannot_read(number))? {
                Line::Entity(entity) => memories::drafts(&self.writer, &entity),
                Line::Relation(relation) => {
                    memories::relation_draft(&self.writer, &relation).map(|draft| vec![draft])
                }
                Line::Other => continue,
            };
            match said {
                Ok(said) => drafts.extend(said),
                Err(_) => refused += 1,
            }
        }
        Ok((drafts, refused))
    }

    /// Writes some memories together, or one by one if one of them is refused.
    async fn import_piece(&self, piece: &[Draft], imported: &mut ImportedGraph) -> Result<()> {
        let (engine, caller) = (&self.writer.engine, &self.writer.caller);
        match engine.remember_all(caller, piece.to_vec()).await {
            Ok(remembered) => {
                for one in remembered {
                    *(if one.existing { &mut imported.existing } else { &mut imported.created }) +=
                        1;
                    imported.redacted += one.redactions.len() as u64;
                }
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::Refused && piece.len() > 1 => {
                for one in piece {
                    Box::pin(self.import_piece(std::slice::from_ref(one), imported)).await?;
                }
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::Refused => {
                imported.refused += 1;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}

/// Makes the error for a line that is no part of a graph; what it says is not repeated.
fn cannot_read(number: usize) -> Error {
    Error::invalid(format!("line {number} is neither an entity nor a relation")).during("import")
}
