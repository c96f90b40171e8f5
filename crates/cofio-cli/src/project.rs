//! Which project a folder belongs to, read from git's own files without running git.
//!
//! All worktrees of a repository share one common directory, so that is what names the project.
//! The files are taken as untrusted: what is broken or strange is no project, and reads are bounded.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// The most bytes read from a file that holds a path.
const LINK_BYTES: usize = 4096;

/// The most characters of a folder's name that go into an id.
const NAME_CHARS: usize = 40;

/// The git repository around a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// The same in every worktree, different for two repositories with folders of the same name.
    pub id: String,
    /// The directory that all worktrees share.
    pub common_dir: PathBuf,
}

/// Finds the project that `folder` is in.
pub fn find(folder: &Path) -> Option<Project> {
    let top = top_level(folder)?;
    let git_dir = git_dir(top)?;
    let common_dir = common_dir(&git_dir)?;
    Some(Project { id: id(&common_dir), common_dir })
}

/// Returns the nearest folder, upwards from `folder`, that has a `.git` or is a repository itself.
///
/// A `.git` that is an ordinary folder is passed by, as git does.
pub fn top_level(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|ancestor| {
        let dot_git = ancestor.join(".git");
        let linked = fs::symlink_metadata(&dot_git).is_ok_and(|found| !found.is_dir());
        linked || common_dir(&dot_git).is_some() || common_dir(ancestor).is_some()
    })
}

/// Returns the git directory of a top-level folder.
fn git_dir(top: &Path) -> Option<PathBuf> {
    let dot_git = top.join(".git");
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    if fs::symlink_metadata(&dot_git).is_err() {
        return Some(top.to_owned());
    }
    let link = read_link(&dot_git)?;
    Some(top.join(link.strip_prefix("gitdir:")?.trim_start()))
}

/// Returns what all worktrees of a git directory share, if it is a git directory at all.
fn common_dir(git_dir: &Path) -> Option<PathBuf> {
    if !git_dir.join("HEAD").is_file() {
        return None;
    }
    let link = git_dir.join("commondir");
    let common = if link.exists() { git_dir.join(read_link(&link)?) } else { git_dir.to_owned() };
    let complete = common.join("objects").is_dir() && common.join("refs").is_dir();
    if complete { common.canonicalize().ok() } else { None }
}

/// Reads a file that holds one line.
fn read_link(path: &Path) -> Option<String> {
    // Opening a pipe would wait for somebody to write into it.
    if !path.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    let longest = LINK_BYTES as u64 + 1;
    File::open(path).ok()?.take(longest).read_to_end(&mut bytes).ok()?;
    if bytes.len() > LINK_BYTES {
        return None;
    }
    let line = String::from_utf8(bytes).ok()?;
    Some(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Makes the id: a name for people, and a digest of the path to tell namesakes apart.
fn id(common_dir: &Path) -> String {
    let digest = Sha256::digest(common_dir.as_os_str().as_encoded_bytes());
    let start = u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]);
    format!("{}-{start:08x}", name(common_dir))
}

/// Returns the name of the folder a common directory stands for.
///
/// That is the folder around `.git` (or `.bare`), and the directory itself where it has a name of its own.
fn name(common_dir: &Path) -> String {
    let file_name = |path: &Path| Some(path.file_name()?.to_string_lossy().into_owned());
    let own = file_name(common_dir).filter(|name| !name.starts_with('.'));
    let raw = own.or_else(|| file_name(common_dir.parent()?)).unwrap_or_default();
    let name = words(raw.strip_suffix(".git").unwrap_or(&raw));
    if name.is_empty() { "project".to_owned() } else { name }
}

/// Keeps letters and digits, in lower case, with a dash for each run of anything else.
fn words(raw: &str) -> String {
    let lower = raw.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let joined: String = words.collect::<Vec<_>>().join("-").chars().take(NAME_CHARS).collect();
    joined.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use tempfile::TempDir;

    use super::*;

    /// A folder that no repository is around, under its canonical path.
    struct Ground(TempDir);

    impl Ground {
        fn new() -> Self {
            Self(TempDir::new().unwrap())
        }

        fn path(&self, path: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(path)
        }

        fn folder(&self, path: &str) -> PathBuf {
            fs::create_dir_all(self.path(path)).unwrap();
            self.path(path)
        }

        fn file(&self, path: &str, content: impl AsRef<[u8]>) {
            self.folder(Path::new(path).parent().unwrap().to_str().unwrap());
            fs::write(self.path(path), content).unwrap();
        }

        /// Makes what git makes of a new repository, as far as it matters here.
        fn repository(&self, git_dir: &str) {
            self.folder(&format!("{git_dir}/objects"));
            self.folder(&format!("{git_dir}/refs"));
            self.file(&format!("{git_dir}/HEAD"), "ref: refs/heads/main\n");
        }

        fn worktree(&self, top: &str, git_dir: &str, common_dir: &str) {
            self.file(
                &format!("{top}/.git"),
                format!("gitdir: {}\n", self.path(git_dir).display()),
            );
            self.file(&format!("{git_dir}/HEAD"), "ref: refs/heads/other\n");
            self.file(&format!("{git_dir}/commondir"), format!("{common_dir}\n"));
        }

        /// Checks the name in the id, and the common directory, of the project around a folder.
        fn check(&self, folder: &str, expected: Option<(&str, &str)>) {
            let found = find(&self.folder(folder));
            let found = found.as_ref().map(|project| {
                let (name, digest) = project.id.rsplit_once('-').unwrap();
                assert!(digest.len() == 8 && digest.bytes().all(|b| b.is_ascii_hexdigit()));
                (name, project.common_dir.clone())
            });
            let expected = expected.map(|(name, common_dir)| (name, self.path(common_dir)));
            assert_eq!(found, expected, "{folder}");
        }
    }

    #[test]
    fn a_repository_names_everything_in_it() {
        let ground = Ground::new();
        ground.repository("My App_2/.git");
        ground.check("My App_2", Some(("my-app-2", "My App_2/.git")));
        ground.check("My App_2/src/deep", Some(("my-app-2", "My App_2/.git")));
        ground.check("My App_2/.git/hooks", Some(("my-app-2", "My App_2/.git")));
        ground.check("elsewhere", None);
    }

    #[test]
    fn namesakes_differ() {
        let ground = Ground::new();
        ground.repository("a/app/.git");
        ground.repository("b/app/.git");
        assert_ne!(
            find(&ground.path("a/app")).unwrap().id,
            find(&ground.path("b/app")).unwrap().id
        );
    }

    #[test]
    fn worktrees_agree() {
        let ground = Ground::new();
        ground.repository("app/.git");
        ground.worktree("other", "app/.git/worktrees/other", "../..");
        ground.check("other/src", Some(("app", "app/.git")));
    }

    #[test]
    fn a_bare_repository_lends_its_name() {
        let ground = Ground::new();
        ground.repository("app.git");
        ground.worktree("one", "app.git/worktrees/one", "../..");
        ground.check("app.git", Some(("app", "app.git")));
        ground.check("one", Some(("app", "app.git")));

        ground.repository("tool/.bare");
        ground.file("tool/.git", "gitdir: ./.bare\n");
        ground.check("tool/docs", Some(("tool", "tool/.bare")));
    }

    #[test]
    fn a_submodule_is_a_project_of_its_own() {
        let ground = Ground::new();
        ground.repository("app/.git");
        ground.repository("app/.git/modules/parser");
        ground.file("app/lib/parser/.git", "gitdir: ../../.git/modules/parser\n");
        ground.check("app/lib", Some(("app", "app/.git")));
        ground.check("app/lib/parser", Some(("parser", "app/.git/modules/parser")));
    }

    #[test]
    fn a_strange_name_is_made_plain() {
        let check = |folder: &str, expected: &str| {
            assert_eq!(name(&Path::new("/x").join(folder).join(".git")), expected, "{folder:?}");
        };
        check("Größe", "größe");
        check("--a..b--", "a-b");
        check("\u{202e}\u{7}a\nb", "a-b");
        check("日本", "日本");
        check("...", "project");
        check(&"x".repeat(200), &"x".repeat(40));
        assert_eq!(name(Path::new("/")), "project");
        assert_eq!(name(Path::new("/.git")), "project");
    }

    #[test]
    fn an_ordinary_folder_called_dot_git_is_passed_by() {
        let ground = Ground::new();
        ground.repository("app/.git");
        ground.folder("app/sub/.git");
        ground.check("app/sub", Some(("app", "app/.git")));
    }

    #[test]
    fn a_broken_link_is_no_project_even_inside_another() {
        let ground = Ground::new();
        ground.repository("app/.git");
        let broken: [&[u8]; 9] = [
            b"",
            b"gitdir:",
            b"gitdir: \0",
            b"gitdir: ../nowhere\n",
            b"gitdir: .git\n",
            b"gitdir: ../.git\nand more",
            b"gitdir: \xff\xfe\n",
            b"something else",
            &vec![b'x'; 100_000],
        ];
        for content in broken {
            ground.file("app/sub/.git", content);
            ground.check("app/sub/deep", None);
        }
    }

    #[test]
    fn a_broken_common_directory_is_no_project() {
        let ground = Ground::new();
        for common_dir in ["", ".", "nowhere", "\0", &"x".repeat(5000)] {
            ground.worktree("tree", "links/tree", common_dir);
            ground.check("tree", None);
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_circle_are_no_project() {
        let ground = Ground::new();
        std::os::unix::fs::symlink(".git", ground.folder("app").join(".git")).unwrap();
        ground.check("app", None);
    }

    #[cfg(unix)]
    #[test]
    fn a_linked_git_directory_is_followed() {
        let ground = Ground::new();
        ground.repository("app/.git");
        std::os::unix::fs::symlink(ground.path("app/.git"), ground.folder("copy").join(".git"))
            .unwrap();
        ground.check("copy", Some(("app", "app/.git")));
    }

    #[test]
    fn git_itself_is_understood() {
        let ground = Ground::new();
        let git = |folder: &str, arguments: &str| {
            let mut command = Command::new("git");
            command.current_dir(ground.path(folder)).args(arguments.split(' '));
            // Nothing of the machine's own, nor of a git hook that runs the tests.
            command.env("GIT_CONFIG_GLOBAL", ground.path("none")).env("GIT_CONFIG_NOSYSTEM", "1");
            for name in ["GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
                command.env_remove(name);
            }
            let output = command.output().expect("git is installed where the tests run");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        git(".", "init --quiet app");
        git("app", "-c user.name=x -c user.email=x@example.org commit --quiet --allow-empty -m x");
        git("app", "worktree add --quiet ../tree");
        git("app", "worktree add --quiet inside/second");
        git(".", "clone --quiet --bare app copy.git");
        git("copy.git", "worktree add --quiet ../third");
        git(".", "init --quiet --separate-git-dir=kept.git apart");
        git("app", "-c protocol.file.allow=always submodule --quiet add ../copy.git sub");

        ground.check("app", Some(("app", "app/.git")));
        ground.check("tree", Some(("app", "app/.git")));
        ground.check("app/inside/second", Some(("app", "app/.git")));
        ground.check("copy.git", Some(("copy", "copy.git")));
        ground.check("third", Some(("copy", "copy.git")));
        ground.check("apart", Some(("kept", "kept.git")));
        ground.check("app/sub", Some(("sub", "app/.git/modules/sub")));
    }
}
