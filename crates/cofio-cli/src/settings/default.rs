//! What holds when nobody says anything.

use std::path::PathBuf;

use cofio::Config;
use cofio::model::Identifier;

use super::origin::{Given, Origin};
use super::places::{MEMORY, MODELS, STORE};
use super::read::Color;
use super::sources::Sources;
use super::{Result, SettingsError};
use crate::project;

/// Variables that hold the login name, the most usual first.
const LOGIN: [&str; 3] = ["USER", "LOGNAME", "USERNAME"];

/// Gives a value that depends on nothing.
#[expect(clippy::unnecessary_wraps, reason = "every default has the same form")]
pub fn fixed<T>(value: T) -> Result<Given<T>> {
    Ok(Given { value, origin: Origin::Default })
}

/// Leaves a name unset.
pub fn nothing(_: &Sources<'_>) -> Result<Given<Option<Identifier>>> {
    fixed(None)
}

/// Keeps memories in the data folder.
pub fn store(sources: &Sources<'_>) -> Result<Given<PathBuf>> {
    let Some(data) = sources.data else {
        return Err(SettingsError::new(
            "cannot tell where to keep memories, as there is no home folder: set HOME, COFIO_HOME or COFIO_STORE",
        ));
    };
    fixed(data.join(STORE))
}

/// Keeps files of markdown at the top of the project, or where the work is.
pub fn memory_dir(sources: &Sources<'_>) -> Result<Given<Option<PathBuf>>> {
    let folder = &sources.around.folder;
    let top = project::top_level(folder).unwrap_or(folder);
    fixed(Some(top.join(MEMORY)))
}

/// Keeps models in the data folder, if there is one.
pub fn models_dir(sources: &Sources<'_>) -> Result<Given<Option<PathBuf>>> {
    fixed(sources.data.map(|data| data.join(MODELS)))
}

/// Asks OpenAI itself.
pub fn openai_url(_: &Sources<'_>) -> Result<Given<String>> {
    fixed("https://api.openai.com/v1".to_owned())
}

/// Takes the smallest model there.
pub fn openai_model(_: &Sources<'_>) -> Result<Given<String>> {
    fixed("text-embedding-3-small".to_owned())
}

/// Takes the variable that everybody uses.
pub fn openai_key_env(_: &Sources<'_>) -> Result<Given<String>> {
    fixed("OPENAI_API_KEY".to_owned())
}

/// Takes the login name, else the name of the home folder, which is usually the same.
pub fn user(sources: &Sources<'_>) -> Result<Given<Identifier>> {
    for name in LOGIN {
        let login = sources.around.variable(name).and_then(|login| login.into_string().ok());
        if let Some(value) = login.and_then(|login| Identifier::new(&login).ok()) {
            return Ok(Given { value, origin: Origin::Variable(name) });
        }
    }
    let home = sources.around.home.as_deref();
    let named = home.and_then(|home| Some((home, home.file_name()?.to_str()?)));
    if let Some((home, Ok(value))) = named.map(|(home, name)| (home, Identifier::new(name))) {
        return Ok(Given { value, origin: Origin::Home(home.to_owned()) });
    }
    fixed(Identifier::new("me").expect("it is a plain word"))
}

/// Takes the git repository around the working folder.
pub fn project(sources: &Sources<'_>) -> Result<Given<Option<Identifier>>> {
    let Some(project) = project::find(&sources.around.folder) else { return fixed(None) };
    let value = Identifier::new(&project.id).ok();
    Ok(Given { value, origin: Origin::Git(project.common_dir) })
}

/// Leaves the engine's own.
pub fn replacement(_: &Sources<'_>) -> Result<Given<String>> {
    fixed(Config::default().secret_replacement)
}

/// Prints in colour on a terminal, unless `NO_COLOR` is set (<https://no-color.org>).
pub fn color(sources: &Sources<'_>) -> Result<Given<Color>> {
    match sources.around.variable("NO_COLOR") {
        Some(_) => Ok(Given { value: Color::Never, origin: Origin::Variable("NO_COLOR") }),
        None => fixed(Color::Auto),
    }
}
