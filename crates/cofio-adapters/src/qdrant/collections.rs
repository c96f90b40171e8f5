//! Which collections there are, what they are called, and how they are made.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use cofio::Result;
use cofio::model::Fingerprint;
use cofio::shelf::other_dimensions;
use qdrant_client::qdrant::points_selector::PointsSelectorOneOf;
use qdrant_client::qdrant::points_update_operation::{DeletePoints, Operation, PointStructList};
use qdrant_client::qdrant::vectors_config::Config;
use qdrant_client::qdrant::{
    CollectionInfo, CreateCollection, CreateFieldIndexCollectionBuilder, Distance, FieldType,
    Filter, KeywordIndexParamsBuilder, PointStruct, PointsUpdateOperation,
    UpdateBatchPointsBuilder, VectorParamsBuilder,
};

use super::client::Client;
use super::failure::is_missing;
use crate::naming;

/// By what texts are found.
const OF_TEXTS: &[&str] = &["scope", "slot"];

/// By what passages are found.
const OF_PASSAGES: &[&str] = &["scope", "slot", "kind", "state", "passage"];

/// Collections that are known to be there as they should be, with the dimensions of their vectors.
#[derive(Default)]
pub struct Known(Mutex<HashMap<String, Option<usize>>>);

impl Known {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Option<usize>>> {
        self.0.lock().expect("nothing panics while it holds the lock")
    }
}

impl Client {
    /// Returns the name of the collection of texts.
    pub fn texts_name(&self) -> String {
        format!("{}-texts", self.prefix())
    }

    /// Returns the name of the collection of a model's vectors.
    pub fn vectors_name(&self, model: &Fingerprint) -> String {
        format!("{}-vectors-{}", self.prefix(), naming::hashed(model.as_str()))
    }

    /// Returns the names of all collections of this shelf, whoever made them.
    pub async fn collections(&self) -> Result<Vec<String>> {
        let listed = self.answer(self.driver().list_collections()).await?;
        let texts = self.texts_name();
        let before = format!("{}-vectors-", self.prefix());
        let is_own = |name: &String| {
            *name == texts
                || name.strip_prefix(&before).is_some_and(|model| {
                    model.len() == 32 && model.bytes().all(|byte| byte.is_ascii_hexdigit())
                })
        };
        Ok(listed.collections.into_iter().map(|told| told.name).filter(is_own).collect())
    }

    /// Returns what the server knows of a collection, if there is one of that name.
    pub async fn info(&self, name: &str) -> Result<Option<CollectionInfo>> {
        match self.answer(self.driver().collection_info(name)).await {
            Ok(told) => Ok(told.result),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Refuses vectors that have other dimensions than those of their model.
    pub async fn check(&self, model: &Fingerprint, vectors: &[&[f32]]) -> Result<()> {
        let Some(first) = vectors.first().map(|vector| vector.len()) else { return Ok(()) };
        let name = self.vectors_name(model);
        let cached = self.known().all().get(&name).copied();
        let known = match cached {
            Some(known) => known,
            None => self.info(&name).await?.as_ref().and_then(dimensions),
        };
        let known = known.unwrap_or(first);
        match vectors.iter().find(|vector| vector.len() != known) {
            Some(other) => Err(other_dimensions(model, other.len(), known)),
            None => Ok(()),
        }
    }

    /// Puts points into a collection, which is made if it is not there, and removes others from it,
    /// all in one go.
    ///
    /// The points may have texts in them, which no error must repeat.
    pub async fn replace(
        &self,
        name: &str,
        dimensions: Option<usize>,
        points: Vec<PointStruct>,
        others: Vec<Filter>,
        texts: &[&str],
    ) -> Result<()> {
        let upsert = Operation::Upsert(PointStructList { points, ..PointStructList::default() });
        let delete = |filter: Filter| {
            let points = Some(PointsSelectorOneOf::Filter(filter).into());
            Operation::DeletePoints(DeletePoints { points, ..DeletePoints::default() })
        };
        let all = std::iter::once(upsert).chain(others.into_iter().map(delete));
        let all: Vec<PointsUpdateOperation> =
            all.map(|operation| PointsUpdateOperation { operation: Some(operation) }).collect();
        self.make(name, dimensions).await?;
        match self.update(name, all.clone(), texts).await {
            Err(error) if is_missing(&error) => {
                self.known().all().remove(name);
                self.make(name, dimensions).await?;
                self.update(name, all, texts).await
            }
            told => told,
        }
    }

    async fn update(
        &self,
        name: &str,
        all: Vec<PointsUpdateOperation>,
        texts: &[&str],
    ) -> Result<()> {
        let request = UpdateBatchPointsBuilder::new(name, all).wait(true);
        let told = self.answer_about(texts, self.driver().update_points_batch(request)).await?;
        self.done(told.result)
    }

    /// Makes a collection with everything that it is asked by, as far as it is not there.
    async fn make(&self, name: &str, size: Option<usize>) -> Result<()> {
        if self.known().all().contains_key(name) {
            return Ok(());
        }
        let info = match self.info(name).await? {
            Some(info) => info,
            None => Box::pin(self.create(name, size)).await?,
        };
        let fields = if size.is_some() { OF_PASSAGES } else { OF_TEXTS };
        for field in fields.iter().filter(|field| !info.payload_schema.contains_key(**field)) {
            self.index(name, field).await?;
        }
        self.known().all().insert(name.to_owned(), dimensions(&info));
        Ok(())
    }

    async fn create(&self, name: &str, size: Option<usize>) -> Result<CollectionInfo> {
        let cosine = |size| VectorParamsBuilder::new(size as u64, Distance::Cosine).build();
        let request = CreateCollection {
            collection_name: name.to_owned(),
            vectors_config: size.map(|size| Config::Params(cosine(size)).into()),
            ..CreateCollection::default()
        };
        let created = self.answer(Box::pin(self.driver().create_collection(request))).await;
        // Somebody else may have been first.
        match (self.info(name).await?, created) {
            (Some(info), _) => Ok(info),
            (None, Err(error)) => Err(error),
            (None, Ok(_)) => Ok(CollectionInfo::default()),
        }
    }

    async fn index(&self, name: &str, field: &str) -> Result<()> {
        let request = if field == "passage" {
            CreateFieldIndexCollectionBuilder::new(name, field, FieldType::Integer)
        } else {
            let parameters = KeywordIndexParamsBuilder::default().is_tenant(field == "scope");
            CreateFieldIndexCollectionBuilder::new(name, field, FieldType::Keyword)
                .field_index_params(parameters)
        };
        let told = self.answer(self.driver().create_field_index(request.wait(true))).await?;
        self.done(told.result)
    }
}

/// Returns how many dimensions the vectors of a collection have.
fn dimensions(info: &CollectionInfo) -> Option<usize> {
    let config = info.config.as_ref()?.params.as_ref()?.vectors_config.as_ref()?.config.as_ref()?;
    match config {
        Config::Params(parameters) => usize::try_from(parameters.size).ok(),
        Config::ParamsMap(_) => None,
    }
}
