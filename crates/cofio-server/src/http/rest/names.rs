use cofio::model::Layer;
use schemars::JsonSchema;
use serde::Deserialize;

/// Whose memories are meant; what a key is bound to need not be said.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the names are those of the protocol")]
pub(crate) struct Names {
    /// The agent; with a user, it opens the agent layer.
    #[serde(alias = "agent_id")]
    pub(crate) agent_id: Option<String>,
    /// The user.
    #[serde(alias = "user_id")]
    pub(crate) user_id: Option<String>,
    /// The conversation; with a user, it opens the session layer.
    #[serde(alias = "session_id")]
    pub(crate) session_id: Option<String>,
    /// The project.
    #[serde(alias = "project_id")]
    pub(crate) project_id: Option<String>,
    /// The team.
    #[serde(alias = "team_id")]
    pub(crate) team_id: Option<String>,
    /// The organisation.
    #[serde(alias = "org_id")]
    pub(crate) org_id: Option<String>,
    /// The company.
    #[serde(alias = "company_id")]
    pub(crate) company_id: Option<String>,
}

impl Names {
    /// Returns those that were said.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Layer, &str)> {
        let name = |&layer: &Layer| {
            let name = match layer {
                Layer::Agent => &self.agent_id,
                Layer::User => &self.user_id,
                Layer::Session => &self.session_id,
                Layer::Project => &self.project_id,
                Layer::Team => &self.team_id,
                Layer::Org => &self.org_id,
                Layer::Company => &self.company_id,
            };
            Some((layer, name.as_deref()?))
        };
        Layer::ALL.iter().filter_map(name)
    }
}
