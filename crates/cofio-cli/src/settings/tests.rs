use std::collections::HashMap;
use std::fs;

use cofio::lifecycle::spend::{Budget, Cap, Money, Prices};
use tempfile::TempDir;

use super::places::Platform;
use super::*;

/// A machine of its own: `home` with the user's file, `work` with the project's, and variables.
struct Machine {
    root: TempDir,
    env: HashMap<String, String>,
    folder: PathBuf,
    home: Option<PathBuf>,
    platform: Platform,
}

impl Machine {
    fn new() -> Self {
        let root = TempDir::new().unwrap();
        let path = |name: &str| {
            let path = root.path().canonicalize().unwrap().join(name);
            fs::create_dir_all(&path).unwrap();
            path
        };
        let (folder, home) = (path("work"), Some(path("ada")));
        Self { root, env: HashMap::new(), folder, home, platform: Platform::Unix }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(path)
    }

    fn variable(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Sets a variable to a path on this machine.
    fn path_variable(self, name: &str, path: &str) -> Self {
        let path = self.path(path);
        self.variable(name, path.to_str().unwrap())
    }

    fn file(self, path: &str, content: &str) -> Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    fn user_file(self, content: &str) -> Self {
        self.file("ada/.config/cofio/config.toml", content)
    }

    fn project_file(self, content: &str) -> Self {
        self.file("work/.cofio/config.toml", content)
    }

    fn repository(self, folder: &str) -> Self {
        fs::create_dir_all(self.path(folder).join(".git/objects")).unwrap();
        fs::create_dir_all(self.path(folder).join(".git/refs")).unwrap();
        self.file(&format!("{folder}/.git/HEAD"), "ref: refs/heads/main\n")
    }

    fn at(mut self, folder: &str) -> Self {
        self.folder = self.path(folder);
        fs::create_dir_all(&self.folder).unwrap();
        self
    }

    fn without_home(mut self) -> Self {
        self.home = None;
        self
    }

    fn on(mut self, platform: Platform) -> Self {
        self.platform = platform;
        self
    }

    fn load(&self, flags: &Overrides) -> Result<Settings> {
        let env = self.env.clone();
        let around = Surroundings {
            env: Box::new(move |name| env.get(name).map(Into::into)),
            folder: self.folder.clone(),
            home: self.home.clone(),
            platform: self.platform,
        };
        Settings::load(&around, flags)
    }

    /// Loads without flags; `/M` stands for this machine's root in all texts.
    fn check(&self, name: &str, value: &str, origin: &str) -> &Self {
        self.check_with(&Overrides::default(), name, value, origin)
    }

    fn check_with(&self, flags: &Overrides, name: &str, value: &str, origin: &str) -> &Self {
        let settings = self.load(flags).unwrap();
        let row = settings.rows().find(|row| row.name == name).unwrap();
        let shown = row.value.unwrap_or_else(|| "-".to_owned());
        let found = (self.short(&shown), self.short(&row.origin.to_string()));
        assert_eq!(found, (value.to_owned(), origin.to_owned()), "{name}");
        self
    }

    fn check_error(&self, expected: &str) {
        self.check_error_with(&Overrides::default(), expected);
    }

    fn check_error_with(&self, flags: &Overrides, expected: &str) {
        let error = self.load(flags).unwrap_err();
        assert_eq!(self.short(&error.to_string()), expected);
    }

    fn short(&self, text: &str) -> String {
        text.replace(self.path("").to_str().unwrap().trim_end_matches('/'), "/M")
    }
}

#[test]
fn each_source_beats_the_next() {
    let machine = Machine::new();
    machine.check("limit", "10", "default");
    let machine = machine.user_file("# mine\nlimit = 2\n");
    machine.check("limit", "2", "file /M/ada/.config/cofio/config.toml:2");
    let machine = machine.project_file("limit = 3");
    machine.check("limit", "3", "file /M/work/.cofio/config.toml:1");
    let machine = machine.variable("COFIO_LIMIT", "4");
    machine.check("limit", "4", "variable COFIO_LIMIT");
    let flags = Overrides { limit: Some("5".to_owned()), ..Overrides::default() };
    machine.check_with(&flags, "limit", "5", "flag --limit");
}

#[test]
fn every_setting_listens_to_every_source() {
    let samples = [
        ("store", "/x/y.db"),
        ("backend", "filesystem"),
        ("memory_dir", "/x/memory"),
        ("preset", "chroma"),
        ("routes", "kind:working -> redis"),
        ("postgres.url", "postgres://cofio@db/cofio"),
        ("postgres.schema", "memories"),
        ("postgres.connections", "20"),
        ("postgres.connect_timeout_ms", "2000"),
        ("postgres.statement_timeout_ms", "90000"),
        ("postgres.lock_timeout_ms", "5000"),
        ("postgres.certificates", "/x/ca.pem"),
        ("redis.url", "redis://127.0.0.1:6379"),
        ("redis.promise", "as-configured"),
        ("qdrant.url", "http://127.0.0.1:6334"),
        ("qdrant.key_env", "MY_KEY"),
        ("chroma.url", "http://127.0.0.1:8000"),
        ("chroma.tenant", "acme"),
        ("chroma.database", "memories"),
        ("chroma.key_env", "MY_KEY"),
        ("mem0.url", "http://127.0.0.1:8888"),
        ("mem0.key_env", "MY_KEY"),
        ("retry.retries", "5"),
        ("retry.first_delay_ms", "200"),
        ("retry.longest_delay_ms", "5000"),
        ("retry.timeout_ms", "2500"),
        ("user", "grace"),
        ("agent", "a1"),
        ("session", "s1"),
        ("project", "p1"),
        ("team", "t1"),
        ("org", "o1"),
        ("company", "c1"),
        ("layer", "project"),
        ("kind", "episode"),
        ("limit", "7"),
        ("time_zone", "Europe/Berlin"),
        ("episode_days", "30"),
        ("window_turns", "9"),
        ("secret_replacement", "***"),
        ("on_secret", "refuse"),
        ("max_content_bytes", "1000"),
        ("embedder", "openai"),
        ("models_dir", "/x/models"),
        ("openai.url", "http://127.0.0.1:11434/v1"),
        ("openai.model", "nomic-embed-text:v1.5"),
        ("openai.dimensions", "256"),
        ("openai.key_env", "MY_KEY"),
        ("llm.provider", "anthropic"),
        ("llm.url", "http://127.0.0.1:11434/v1"),
        ("llm.model", "qwen3:4b"),
        ("llm.key_env", "MY_KEY"),
        ("llm.tokens_per_day", "200000"),
        ("llm.tokens_per_job", "50000"),
        ("llm.tokens_per_scope", "20000"),
        ("llm.money_per_day", "1.5"),
        ("llm.money_per_job", "0.25"),
        ("llm.money_per_scope", "2"),
        ("llm.price_input", "3"),
        ("llm.price_output", "0.000001"),
        ("schedule.enrich", "0 1 * * *"),
        ("schedule.consolidate", "off"),
        ("schedule.promote", "15 3 * * mon"),
        ("schedule.decay", "@weekly"),
        ("schedule.reflect", "0 5 1 * *"),
        ("schedule.expire", "*/5 * * * *"),
        ("decay.formula", "daily"),
        ("decay.pace", "0.5"),
        ("decay.threshold", "0.1"),
        ("decay.rest_days", "7"),
        ("decay.exempt_layers", "user,org"),
        ("sessions.idle_minutes", "45"),
        ("sessions.keep_days", "14"),
        ("sessions.promotion", "0.5"),
        ("merge.similarity", "0.95"),
        ("guard.share", "0.25"),
        ("mcp.source", "tool"),
        ("hooks", "context"),
        ("color", "always"),
    ];
    let flags = Overrides {
        store: Some("/x/y.db".into()),
        backend: Some("filesystem".to_owned()),
        memory_dir: Some("/x/memory".into()),
        preset: Some("chroma".to_owned()),
        routes: Some("kind:working -> redis".to_owned()),
        postgres_url: Some("postgres://cofio@db/cofio".to_owned()),
        postgres_schema: Some("memories".to_owned()),
        postgres_connections: Some("20".to_owned()),
        postgres_connect_timeout_ms: Some("2000".to_owned()),
        postgres_statement_timeout_ms: Some("90000".to_owned()),
        postgres_lock_timeout_ms: Some("5000".to_owned()),
        postgres_certificates: Some("/x/ca.pem".into()),
        redis_url: Some("redis://127.0.0.1:6379".to_owned()),
        redis_promise: Some("as-configured".to_owned()),
        qdrant_url: Some("http://127.0.0.1:6334".to_owned()),
        qdrant_key_env: Some("MY_KEY".to_owned()),
        chroma_url: Some("http://127.0.0.1:8000".to_owned()),
        chroma_tenant: Some("acme".to_owned()),
        chroma_database: Some("memories".to_owned()),
        chroma_key_env: Some("MY_KEY".to_owned()),
        mem0_url: Some("http://127.0.0.1:8888".to_owned()),
        mem0_key_env: Some("MY_KEY".to_owned()),
        retry_retries: Some("5".to_owned()),
        retry_first_delay_ms: Some("200".to_owned()),
        retry_longest_delay_ms: Some("5000".to_owned()),
        retry_timeout_ms: Some("2500".to_owned()),
        user: Some("grace".to_owned()),
        agent: Some("a1".to_owned()),
        session: Some("s1".to_owned()),
        project: Some("p1".to_owned()),
        team: Some("t1".to_owned()),
        org: Some("o1".to_owned()),
        company: Some("c1".to_owned()),
        layer: Some("project".to_owned()),
        kind: Some("episode".to_owned()),
        limit: Some("7".to_owned()),
        time_zone: Some("Europe/Berlin".to_owned()),
        episode_days: Some("30".to_owned()),
        window_turns: Some("9".to_owned()),
        secret_replacement: Some("***".to_owned()),
        on_secret: Some("refuse".to_owned()),
        max_content_bytes: Some("1000".to_owned()),
        embedder: Some("openai".to_owned()),
        models_dir: Some("/x/models".into()),
        openai_url: Some("http://127.0.0.1:11434/v1".to_owned()),
        openai_model: Some("nomic-embed-text:v1.5".to_owned()),
        openai_dimensions: Some("256".to_owned()),
        openai_key_env: Some("MY_KEY".to_owned()),
        llm_provider: Some("anthropic".to_owned()),
        llm_url: Some("http://127.0.0.1:11434/v1".to_owned()),
        llm_model: Some("qwen3:4b".to_owned()),
        llm_key_env: Some("MY_KEY".to_owned()),
        llm_tokens_per_day: Some("200000".to_owned()),
        llm_tokens_per_job: Some("50000".to_owned()),
        llm_tokens_per_scope: Some("20000".to_owned()),
        llm_money_per_day: Some("1.5".to_owned()),
        llm_money_per_job: Some("0.25".to_owned()),
        llm_money_per_scope: Some("2".to_owned()),
        llm_price_input: Some("3".to_owned()),
        llm_price_output: Some("0.000001".to_owned()),
        schedule_enrich: Some("0 1 * * *".to_owned()),
        schedule_consolidate: Some("off".to_owned()),
        schedule_promote: Some("15 3 * * mon".to_owned()),
        schedule_decay: Some("@weekly".to_owned()),
        schedule_reflect: Some("0 5 1 * *".to_owned()),
        schedule_expire: Some("*/5 * * * *".to_owned()),
        decay_formula: Some("daily".to_owned()),
        decay_pace: Some("0.5".to_owned()),
        decay_threshold: Some("0.1".to_owned()),
        decay_rest_days: Some("7".to_owned()),
        decay_exempt_layers: Some("user,org".to_owned()),
        sessions_idle_minutes: Some("45".to_owned()),
        sessions_keep_days: Some("14".to_owned()),
        sessions_promotion: Some("0.5".to_owned()),
        merge_similarity: Some("0.95".to_owned()),
        guard_share: Some("0.25".to_owned()),
        mcp_source: Some("tool".to_owned()),
        hooks: Some("context".to_owned()),
        color: Some("always".to_owned()),
    };
    assert_eq!(
        samples.map(|(name, _)| name).as_slice(),
        table::ALL.iter().map(|s| s.name).collect::<Vec<_>>()
    );
    for (name, value) in samples {
        let variable = format!("COFIO_{}", name.to_uppercase().replace('.', "_"));
        let flag = format!("flag --{}", name.replace(['_', '.'], "-"));
        let others = match name {
            "llm.provider" => "\nllm.model = 'm'\nllm.tokens_per_day = 1",
            "preset" => "\nchroma.url = 'http://127.0.0.1:8000'",
            "routes" => "\nredis.url = 'redis://127.0.0.1:6379'",
            _ => "",
        };
        let machine = Machine::new().user_file(&format!("{name} = {value:?}{others}"));
        machine.check(name, value, "file /M/ada/.config/cofio/config.toml:1");
        machine.check_with(&flags, name, value, &flag);
        Machine::new().user_file(others).variable(&variable, value).check(
            name,
            value,
            &format!("variable {variable}"),
        );
    }
}

#[test]
fn defaults_are_as_documented() {
    let machine = Machine::new();
    let settings = machine.load(&Overrides::default()).unwrap();
    let shown: Vec<_> = settings
        .rows()
        .map(|row| {
            let value = row.value.unwrap_or_else(|| "-".to_owned());
            machine.short(&format!("{} | {value} | {}", row.name, row.origin))
        })
        .collect();
    let expected = [
        "store | /M/ada/.local/share/cofio/cofio.db | default",
        "backend | sqlite | default",
        "memory_dir | /M/work/.cofio/memory | default",
        "preset | embedded | default",
        "routes | - | default",
        "postgres.url | - | default",
        "postgres.schema | cofio | default",
        "postgres.connections | 8 | default",
        "postgres.connect_timeout_ms | 10000 | default",
        "postgres.statement_timeout_ms | 60000 | default",
        "postgres.lock_timeout_ms | 30000 | default",
        "postgres.certificates | - | default",
        "redis.url | - | default",
        "redis.promise | durable | default",
        "qdrant.url | - | default",
        "qdrant.key_env | QDRANT_API_KEY | default",
        "chroma.url | - | default",
        "chroma.tenant | default_tenant | default",
        "chroma.database | default_database | default",
        "chroma.key_env | CHROMA_API_KEY | default",
        "mem0.url | - | default",
        "mem0.key_env | MEM0_API_KEY | default",
        "retry.retries | 3 | default",
        "retry.first_delay_ms | 1000 | default",
        "retry.longest_delay_ms | 30000 | default",
        "retry.timeout_ms | 10000 | default",
        "user | ada | home /M/ada",
        "agent | - | default",
        "session | - | default",
        "project | - | default",
        "team | - | default",
        "org | - | default",
        "company | - | default",
        "layer | user | default",
        "kind | fact | default",
        "limit | 10 | default",
        "time_zone | UTC | default",
        "episode_days | 90 | default",
        "window_turns | 5 | default",
        "secret_replacement | [SECRET_REDACTED] | default",
        "on_secret | redact | default",
        "max_content_bytes | 262144 | default",
        "embedder | minilm | default",
        "models_dir | /M/ada/.local/share/cofio/models | default",
        "openai.url | https://api.openai.com/v1 | default",
        "openai.model | text-embedding-3-small | default",
        "openai.dimensions | - | default",
        "openai.key_env | OPENAI_API_KEY | default",
        "llm.provider | none | default",
        "llm.url | - | default",
        "llm.model | - | default",
        "llm.key_env | - | default",
        "llm.tokens_per_day | - | default",
        "llm.tokens_per_job | - | default",
        "llm.tokens_per_scope | - | default",
        "llm.money_per_day | - | default",
        "llm.money_per_job | - | default",
        "llm.money_per_scope | - | default",
        "llm.price_input | - | default",
        "llm.price_output | - | default",
        "schedule.enrich | 0 2 * * * | default",
        "schedule.consolidate | 0 3 * * * | default",
        "schedule.promote | 30 3 * * * | default",
        "schedule.decay | 0 4 * * * | default",
        "schedule.reflect | 0 3 * * sun | default",
        "schedule.expire | @hourly | default",
        "decay.formula | ebbinghaus | default",
        "decay.pace | 1 | default",
        "decay.threshold | 0.05 | default",
        "decay.rest_days | 30 | default",
        "decay.exempt_layers | - | default",
        "sessions.idle_minutes | 30 | default",
        "sessions.keep_days | - | default",
        "sessions.promotion | 0.7 | default",
        "merge.similarity | 0.9 | default",
        "guard.share | 0.3 | default",
        "mcp.source | user | default",
        "hooks | all | default",
        "color | auto | default",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn an_empty_variable_counts_as_not_set() {
    Machine::new().variable("COFIO_LIMIT", "").check("limit", "10", "default");
    let machine = Machine::new().variable("COFIO_HOME", "").variable("XDG_DATA_HOME", "");
    machine.check("store", "/M/ada/.local/share/cofio/cofio.db", "default");
}

#[test]
fn the_user_is_the_login_name() {
    let machine = Machine::new().variable("USERNAME", "third");
    machine.check("user", "third", "variable USERNAME");
    let machine = machine.variable("LOGNAME", "second");
    machine.check("user", "second", "variable LOGNAME");
    let machine = machine.variable("USER", "first");
    machine.check("user", "first", "variable USER");
    let machine = machine.variable("USER", " \n");
    machine.check("user", "second", "variable LOGNAME");
    let homeless = Machine::new().without_home().variable("COFIO_HOME", "/x");
    homeless.check("user", "me", "default");
}

#[test]
fn the_project_is_the_repository() {
    let machine = Machine::new().repository("work").at("work/src");
    let settings = machine.load(&Overrides::default()).unwrap();
    let project = settings.identifiers().get(Layer::Project).unwrap().as_str().to_owned();
    assert!(project.starts_with("work-"), "{project}");
    machine.check("project", &project, "git /M/work/.git");
    machine.project_file("project = \"atlas\"").check(
        "project",
        "atlas",
        "file /M/work/.cofio/config.toml:1",
    );
}

#[test]
fn memories_and_settings_have_their_usual_places() {
    let check = |machine: Machine, store: &str, user_file: &str| {
        machine.check("store", store, "default");
        let settings = machine.load(&Overrides::default()).unwrap();
        assert_eq!(machine.short(settings.user_file().unwrap().to_str().unwrap()), user_file);
    };
    check(Machine::new(), "/M/ada/.local/share/cofio/cofio.db", "/M/ada/.config/cofio/config.toml");
    check(
        Machine::new().path_variable("XDG_DATA_HOME", "d").path_variable("XDG_CONFIG_HOME", "c"),
        "/M/d/cofio/cofio.db",
        "/M/c/cofio/config.toml",
    );
    check(
        Machine::new().variable("XDG_DATA_HOME", "d").variable("XDG_CONFIG_HOME", "c"),
        "/M/ada/.local/share/cofio/cofio.db",
        "/M/ada/.config/cofio/config.toml",
    );
    check(
        Machine::new().on(Platform::MacOs),
        "/M/ada/Library/Application Support/cofio/cofio.db",
        "/M/ada/Library/Application Support/cofio/config.toml",
    );
    check(
        Machine::new().on(Platform::Windows).path_variable("APPDATA", "roaming"),
        "/M/ada/AppData/Local/cofio/cofio.db",
        "/M/roaming/cofio/config.toml",
    );
    let own = || Machine::new().path_variable("XDG_DATA_HOME", "d");
    check(own().path_variable("COFIO_HOME", "own"), "/M/own/cofio.db", "/M/own/config.toml");
    check(own().variable("COFIO_HOME", "./own"), "/M/work/own/cofio.db", "/M/work/own/config.toml");
    check(own().variable("COFIO_HOME", "~/own"), "/M/ada/own/cofio.db", "/M/ada/own/config.toml");
}

#[test]
fn without_a_home_the_store_has_to_be_named() {
    let machine = Machine::new().without_home();
    machine.check_error(
        "cannot tell where to keep memories, as there is no home folder: set HOME, COFIO_HOME or COFIO_STORE",
    );
    let flags = Overrides { store: Some("x.db".into()), ..Overrides::default() };
    machine.check_with(&flags, "store", "/M/work/x.db", "flag --store");
    let machine = machine.variable("COFIO_STORE", "~/x.db");
    machine.check_error(
        "cannot use \"~/x.db\" for store (variable COFIO_STORE): there is no home folder to put for ~: set HOME",
    );
}

#[test]
fn a_relative_store_starts_where_it_was_written() {
    let check = |machine: Machine, store: &str| {
        assert_eq!(
            machine.short(machine.load(&Overrides::default()).unwrap().store().to_str().unwrap()),
            store
        );
    };
    check(Machine::new().user_file("store = 'm.db'"), "/M/ada/.config/cofio/m.db");
    check(Machine::new().user_file("store = '~/m.db'"), "/M/ada/m.db");
    check(Machine::new().user_file("store = '/x/./m.db'"), "/x/m.db");
    check(Machine::new().variable("COFIO_STORE", "./m.db"), "/M/work/m.db");
    check(Machine::new().variable("COFIO_STORE", "../m.db"), "/M/work/../m.db");
    check(Machine::new().variable("COFIO_STORE", "~m.db"), "/M/work/~m.db");
}

#[test]
fn a_store_is_not_a_folder() {
    Machine::new().variable("COFIO_STORE", "~").check_error(
        "cannot use \"~\" for store (variable COFIO_STORE): that is a folder; give a file, such as /M/ada/cofio.db",
    );
    Machine::new().variable("COFIO_STORE", "new/").check_error(
        "cannot use \"new/\" for store (variable COFIO_STORE): that is a folder; give a file, such as /M/work/new/cofio.db",
    );
}

#[test]
fn the_project_file_is_the_nearest_one() {
    let check = |machine: &Machine, expected: Option<&str>| {
        let settings = machine.load(&Overrides::default()).unwrap();
        let found = settings.project_file().map(|path| machine.short(path.to_str().unwrap()));
        assert_eq!(found.as_deref(), expected, "{:?}", machine.folder);
    };
    let machine = Machine::new().project_file("limit = 1").file("work/a/.cofio/config.toml", "");
    let machine = machine.at("work/a/b/c");
    check(&machine, Some("/M/work/a/.cofio/config.toml"));
    let machine = machine.at("work/d/e");
    check(&machine, Some("/M/work/.cofio/config.toml"));

    // Not above the top of a repository, nor of a broken one.
    let machine = machine.repository("work/d");
    check(&machine, None);
    let machine = machine.repository("work");
    check(&machine, None);
    let machine = machine.at("work");
    check(&machine, Some("/M/work/.cofio/config.toml"));
    let machine = machine.file("work/f/.git", "gitdir: nowhere").at("work/f/g");
    check(&machine, None);
}

#[test]
fn the_home_folder_and_what_is_above_it_hold_no_project_file() {
    for folder in ["ada", "ada/code/app"] {
        let machine = Machine::new().file("ada/.cofio/config.toml", "limit = 1");
        let machine = machine.file(".cofio/config.toml", "limit = 1").at(folder);
        machine.check("limit", "10", "default");
        machine.repository("ada").check("limit", "10", "default");
    }
}

#[test]
fn the_users_own_file_is_no_project_file() {
    let machine = Machine::new().file("work/.cofio/config.toml", "user = 'grace'");
    let machine = machine.path_variable("COFIO_HOME", "work/.cofio");
    machine.check("user", "grace", "file /M/work/.cofio/config.toml:1");
}

#[test]
fn a_project_file_cannot_say_whose_memories_are_or_where_they_go() {
    let names = [
        "store",
        "backend",
        "memory_dir",
        "preset",
        "routes",
        "postgres.url",
        "postgres.schema",
        "postgres.connections",
        "postgres.connect_timeout_ms",
        "postgres.statement_timeout_ms",
        "postgres.lock_timeout_ms",
        "postgres.certificates",
        "redis.url",
        "redis.promise",
        "qdrant.url",
        "qdrant.key_env",
        "chroma.url",
        "chroma.tenant",
        "chroma.database",
        "chroma.key_env",
        "mem0.url",
        "mem0.key_env",
        "retry.retries",
        "retry.first_delay_ms",
        "retry.longest_delay_ms",
        "retry.timeout_ms",
        "user",
        "agent",
        "session",
        "secret_replacement",
        "on_secret",
        "embedder",
        "models_dir",
        "openai.url",
        "openai.model",
        "openai.dimensions",
        "openai.key_env",
        "llm.provider",
        "llm.url",
        "llm.model",
        "llm.key_env",
        "llm.tokens_per_day",
        "llm.tokens_per_job",
        "llm.tokens_per_scope",
        "llm.money_per_day",
        "llm.money_per_job",
        "llm.money_per_scope",
        "llm.price_input",
        "llm.price_output",
        "mcp.source",
        "hooks",
        "color",
    ];
    for name in names {
        let flags = Overrides { store: Some("/x.db".into()), ..Overrides::default() };
        let machine = Machine::new().project_file(&format!("limit = 3\n{name} = 'auto'"));
        let variable = format!("COFIO_{}", name.to_uppercase().replace('.', "_"));
        machine.check_error_with(
            &flags,
            &format!(
                "/M/work/.cofio/config.toml:2 sets {name}, which a project's file may not: \
             remove it there, and put it into your own file or into the variable {variable}"
            ),
        );
    }
}

#[test]
fn an_unknown_name_is_refused_with_the_nearest_known() {
    let check = |content: &str, expected: &str| {
        let path = "/M/ada/.config/cofio/config.toml";
        Machine::new().user_file(content).check_error(&format!("{path}{expected}"));
    };
    check("limit = 1\n\nlimt = 3", ":3 has the unknown setting \"limt\": did you mean limit?");
    check("Time-Zone = 'UTC'", ":1 has the unknown setting \"Time-Zone\": did you mean time_zone?");
    check("stroe = 'x'", ":1 has the unknown setting \"stroe\": did you mean store?");
    let known = "store, backend, memory_dir, preset, routes, postgres.url, postgres.schema, \
                 postgres.connections, postgres.connect_timeout_ms, postgres.statement_timeout_ms, \
                 postgres.lock_timeout_ms, postgres.certificates, redis.url, redis.promise, qdrant.url, \
                 qdrant.key_env, chroma.url, chroma.tenant, chroma.database, chroma.key_env, mem0.url, \
                 mem0.key_env, retry.retries, retry.first_delay_ms, retry.longest_delay_ms, \
                 retry.timeout_ms, user, agent, session, project, team, org, company, layer, kind, limit, \
                 time_zone, episode_days, window_turns, secret_replacement, on_secret, \
                 max_content_bytes, embedder, models_dir, openai.url, openai.model, \
                 openai.dimensions, openai.key_env, llm.provider, llm.url, llm.model, llm.key_env, \
                 llm.tokens_per_day, llm.tokens_per_job, llm.tokens_per_scope, llm.money_per_day, \
                 llm.money_per_job, llm.money_per_scope, llm.price_input, llm.price_output, \
                 schedule.enrich, schedule.consolidate, schedule.promote, schedule.decay, \
                 schedule.reflect, schedule.expire, decay.formula, decay.pace, decay.threshold, \
                 decay.rest_days, decay.exempt_layers, sessions.idle_minutes, sessions.keep_days, \
                 sessions.promotion, merge.similarity, guard.share, mcp.source, hooks, color";
    check(
        "[weather]\nx = 1",
        &format!(":1 has the unknown setting \"weather\": known are {known}"),
    );
    check(
        "[openai]\nurl = 'http://host/v1'\nkey = 'sk-secret'",
        ":3 has the unknown setting \"openai.key\": did you mean openai.key_env?",
    );
    check("openai = 'x'", ":1 has the unknown setting \"openai\": did you mean openai.url?");
    let project = Machine::new().project_file("\n'\\u001b' = 1");
    project.check_error(&format!(
        "/M/work/.cofio/config.toml:2 has the unknown setting \"\\\\u001b\": known are {known}"
    ));
}

#[test]
fn a_bad_value_says_what_would_be_right() {
    let check = |line: &str, expected: &str| {
        let file = "(file /M/ada/.config/cofio/config.toml:1)";
        let expected = expected.replacen("FILE", file, 1);
        Machine::new().user_file(line).check_error(&expected);
    };
    check("limit = 0", "cannot use 0 for limit FILE: give a whole number from 1 to 1000");
    check("limit = 1.5", "cannot use 1.5 for limit FILE: give a whole number from 1 to 1000");
    check("limit = 'ten'", "cannot use \"ten\" for limit FILE: give a whole number from 1 to 1000");
    check(
        "limit = 99999999999999999999",
        "cannot use 99999999999999999999 for limit FILE: give a whole number from 1 to 1000",
    );
    check(
        "limit = [1]",
        "cannot use a list or table for limit FILE: give a whole number from 1 to 1000",
    );
    check(
        "episode_days = 366",
        "cannot use 366 for episode_days FILE: give a whole number from 1 to 365",
    );
    check(
        "window_turns = -1",
        "cannot use -1 for window_turns FILE: give a whole number from 1 to 100",
    );
    check("user = 7", "cannot use 7 for user FILE: give text in quotes");
    check("user.name = 'x'", "cannot use a list or table for user FILE: give text in quotes");
    check(
        "team = ''",
        "cannot use \"\" for team FILE: an identifier needs a character, and no space around it",
    );
    check("store = ''", "cannot use \"\" for store FILE: give the path of a file");
    check("store = \"a\\u0000\"", "cannot use \"a\\0\" for store FILE: give the path of a file");
    check(
        "layer = 'usr'",
        "cannot use \"usr\" for layer FILE: unknown layer \"usr\"; known: agent, user, session, project, team, org, company",
    );
    check("embedder = 'gpt'", "cannot use \"gpt\" for embedder FILE: give minilm, none or openai");
    check(
        "openai.dimensions = 0",
        "cannot use 0 for openai.dimensions FILE: give a whole number from 1 to 16384",
    );
    check(
        "llm.provider = 'gpt'",
        "cannot use \"gpt\" for llm.provider FILE: give none, openai or anthropic",
    );
    for amount in ["-1", "1e3", "0.0000001", "1000001", "inf", "[2]"] {
        let shown = if amount == "[2]" { "a list or table" } else { amount };
        check(
            &format!("llm.money_per_day = {amount}"),
            &format!(
                "cannot use {shown} for llm.money_per_day FILE: give an amount from 0 to 1000000, such as 2.50"
            ),
        );
    }
    check(
        "llm.tokens_per_day = 0",
        "cannot use 0 for llm.tokens_per_day FILE: give a whole number from 1 to 1000000000000",
    );
    check("color = 'red'", "cannot use \"red\" for color FILE: give auto, always or never");
    check(
        "secret_replacement = \"\\u001b[31m\"",
        "cannot use \"\\u{1b}[31m\" for secret_replacement FILE: give one line of 1 to 100 characters",
    );
    for zone in ["Mars/Olympus", "../../etc/passwd", "Etc/Unknown", ""] {
        check(
            &format!("time_zone = '{zone}'"),
            &format!(
                "cannot use {zone:?} for time_zone FILE: give an IANA name, such as \"Europe/Berlin\" or \"UTC\""
            ),
        );
    }
}

#[test]
fn a_bad_value_is_refused_even_where_it_is_beaten() {
    let flags = Overrides { limit: Some("5".to_owned()), ..Overrides::default() };
    Machine::new().variable("COFIO_LIMIT", "many").check_error_with(
        &flags,
        "cannot use \"many\" for limit (variable COFIO_LIMIT): give a whole number from 1 to 1000",
    );
}

#[test]
fn a_file_that_cannot_be_read_says_why() {
    let path = "/M/ada/.config/cofio/config.toml";
    for content in ["limit = 1\nlimit = 2", "limit = 1\nlayer = ", "\n[", "\nlimit = \u{1}"] {
        let machine = Machine::new().user_file(content);
        let error = machine.load(&Overrides::default()).unwrap_err().to_string();
        let start = format!("{path}:2 is not TOML: ");
        assert!(machine.short(&error).starts_with(&start), "{error}");
    }
    let cannot =
        |machine: &Machine, why: &str| machine.check_error(&format!("cannot read {path}: {why}"));
    cannot(&Machine::new().user_file(&"#".repeat(70_000)), "it has more than 65536 bytes");
    cannot(&Machine::new().file("ada/.config/cofio/config.toml/x", ""), "it is not a file");
    let machine = Machine::new().user_file("");
    fs::write(machine.path("ada/.config/cofio/config.toml"), b"user = '\xff'").unwrap();
    cannot(&machine, "save it as UTF-8");
}

#[test]
fn a_file_from_another_system_is_read() {
    let machine = Machine::new().user_file("\u{feff}limit = 1_00\r\nlayer = \"team\"\r\n");
    machine.check("limit", "100", "file /M/ada/.config/cofio/config.toml:1");
    machine.check("layer", "team", "file /M/ada/.config/cofio/config.toml:2");
}

#[test]
fn a_table_is_read_like_names_with_dots() {
    let path = "file /M/ada/.config/cofio/config.toml";
    let machine = Machine::new().user_file("limit = 2\n\n[openai]\nmodel = 'm'\ndimensions = 512");
    machine.check("openai.model", "m", &format!("{path}:4"));
    machine.check("openai.dimensions", "512", &format!("{path}:5"));
    let machine = Machine::new().user_file("openai = { model = 'm' }\nlimit = 3");
    machine.check("openai.model", "m", &format!("{path}:1"));
    machine.check("limit", "3", &format!("{path}:2"));
}

#[test]
fn models_are_kept_beside_the_memories() {
    let own = || Machine::new().path_variable("COFIO_HOME", "own");
    own().check("models_dir", "/M/own/models", "default");
    let machine = own().variable("COFIO_MODELS_DIR", "./m");
    machine.check("models_dir", "/M/work/m", "variable COFIO_MODELS_DIR");
    let machine = Machine::new().user_file("models_dir = '~/m'");
    machine.check("models_dir", "/M/ada/m", "file /M/ada/.config/cofio/config.toml:1");
    let flags = Overrides { store: Some("/x.db".into()), ..Overrides::default() };
    let homeless = Machine::new().without_home();
    homeless.check_with(&flags, "models_dir", "-", "default");
    assert_eq!(
        homeless.load(&flags).unwrap().models_dir().unwrap_err().to_string(),
        "cannot tell where to keep models, as there is no home folder: set HOME, COFIO_HOME or COFIO_MODELS_DIR"
    );
    Machine::new().file("work/m", "").variable("COFIO_MODELS_DIR", "m").check_error(
        "cannot use \"m\" for models_dir (variable COFIO_MODELS_DIR): that is a file; give a folder",
    );
}

#[test]
fn a_language_model_is_asked_only_with_a_name_and_a_budget() {
    let check = |lines: &str, expected: &str| {
        let machine = Machine::new().user_file(&format!("[llm]\nprovider = 'openai'\n{lines}"));
        machine.check_error(&format!(
            "cannot use openai for llm.provider (file /M/ada/.config/cofio/config.toml:2), as {expected}"
        ));
    };
    check("", "no model is named: set llm.model to the server's name for it");
    let nothing_to_spend = "nobody said how much may be spent in a day: \
                            set llm.tokens_per_day, or llm.money_per_day with the prices";
    check("model = 'm'", nothing_to_spend);
    check("model = 'm'\ntokens_per_job = 5\ntokens_per_scope = 5", nothing_to_spend);
    let prices = "a cap in money needs the prices of the model: \
                  set llm.price_input and llm.price_output, what a million tokens cost";
    check("model = 'm'\nmoney_per_day = 2.50", prices);
    check("model = 'm'\ntokens_per_day = 5\nmoney_per_job = 1", prices);
    check(
        "model = 'm'\nmoney_per_day = 1\nprice_input = 0.5",
        "only one price is known: set llm.price_input and llm.price_output",
    );
}

#[test]
fn each_provider_has_its_own_address_and_key() {
    let check = |lines: &str, url: &str, key_env: &str| {
        let file = format!("[llm]\nmodel = 'm'\ntokens_per_day = 5\n{lines}");
        let settings = Machine::new().user_file(&file).load(&Overrides::default()).unwrap();
        let llm = settings.llm().unwrap();
        assert_eq!((llm.url.as_str(), llm.key_env.as_str()), (url, key_env));
    };
    check("provider = 'openai'", "https://api.openai.com/v1", "OPENAI_API_KEY");
    check("provider = 'anthropic'", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY");
    let own = "provider = 'openai'\nurl = 'http://127.0.0.1:8080/v1'\nkey_env = 'MINE'";
    check(own, "http://127.0.0.1:8080/v1", "MINE");
    let none = Machine::new().user_file("llm.model = 'm'").load(&Overrides::default()).unwrap();
    assert_eq!(none.llm(), None);
}

#[test]
fn a_budget_is_what_the_settings_say() {
    let file = "[llm]\nprovider = 'anthropic'\nmodel = 'm'\ntokens_per_scope = 7\n\
                money_per_day = 2.50\nmoney_per_job = 1\nprice_input = 3\nprice_output = 0.0001";
    let settings = Machine::new().user_file(file).load(&Overrides::default()).unwrap();
    let Budget { caps, prices } = settings.llm().unwrap().budget;
    assert_eq!(caps.day, Cap { tokens: None, money: Some(Money(2_500_000)) });
    assert_eq!(caps.job, Cap { tokens: None, money: Some(Money(1_000_000)) });
    assert_eq!(caps.scope, Cap { tokens: Some(7), money: None });
    assert_eq!(prices, Some(Prices { input: Money(3_000_000), output: Money(100) }));
}

#[test]
fn the_key_for_a_server_is_no_setting_and_is_not_shown() {
    for (key, name) in ["sk-0123456789", "sk_0123456789", "0123456789ABCDEF", ""]
        .into_iter()
        .flat_map(|key| [(key, "openai.key_env"), (key, "llm.key_env")])
    {
        let machine = Machine::new().user_file(&format!("{name} = '{key}'"));
        machine.check_error(&format!(
            "cannot use what is given for {name} (file /M/ada/.config/cofio/config.toml:1): \
             give the name of the variable that holds the key, in capital letters, never the key",
        ));
    }
    for url in ["api.openai.com/v1", "https://", "https://me:pw@host/v1", "https://h/v1?x=1"] {
        let machine = Machine::new().variable("COFIO_OPENAI_URL", url);
        machine.check_error(
            "cannot use what is given for openai.url (variable COFIO_OPENAI_URL): \
             give an address such as \"https://api.openai.com/v1\", which ends there",
        );
    }
}

#[test]
fn no_color_is_respected_unless_somebody_is_more_precise() {
    let machine = Machine::new().variable("NO_COLOR", "1");
    machine.check("color", "never", "variable NO_COLOR");
    let machine = machine.variable("COFIO_COLOR", "always");
    machine.check("color", "always", "variable COFIO_COLOR");
}

#[test]
fn the_names_at_hand_open_their_layers() {
    let machine = Machine::new().variable("COFIO_USER", "ada").project_file("team = 'core'");
    let flags = Overrides { session: Some("s1".to_owned()), ..Overrides::default() };
    let layers: Vec<_> = machine.load(&flags).unwrap().identifiers().layers().collect();
    assert_eq!(layers, [Layer::User, Layer::Session, Layer::Team]);
}

#[test]
fn the_engine_is_governed_by_what_was_set() {
    let settings = Machine::new()
        .user_file(
            "time_zone = 'asia/tokyo'\nepisode_days = 7\nwindow_turns = 2\n\
             secret_replacement = '***'\nmax_content_bytes = 0x400",
        )
        .load(&Overrides::default())
        .unwrap();
    let config = settings.config();
    assert_eq!(config.expiry.time_zone.iana_name(), Some("Asia/Tokyo"));
    assert_eq!(config.expiry.episode, SignedDuration::from_hours(7 * 24));
    assert_eq!((config.window_turns, config.limits.content_bytes), (2, 1024));
    assert_eq!(config.secret_replacement, "***");
}

#[test]
fn what_a_flag_said_is_told_from_the_rest() {
    let layer = |flags: &Overrides| {
        let machine = Machine::new().variable("COFIO_LAYER", "team");
        machine.load(flags).unwrap().values().layer.origin.is_flag()
    };
    assert!(!layer(&Overrides::default()));
    assert!(layer(&Overrides { layer: Some("org".to_owned()), ..Overrides::default() }));
}

#[test]
fn the_engines_own_defaults_are_the_defaults() {
    let own = Config::default();
    let config = Machine::new().load(&Overrides::default()).unwrap().config();
    assert_eq!(format!("{config:?}"), format!("{own:?}"));
}

#[test]
fn servers_that_are_wanted_and_not_named_are_missed() {
    let check = |content: &str, expected: &str| {
        let error = Machine::new().user_file(content).load(&Overrides::default()).unwrap_err();
        assert!(error.to_string().contains(expected), "{content:?} gives {error}");
    };
    check("preset = 'postgres'", "nobody said where PostgreSQL is: set postgres.url");
    check("preset = 'chroma'", "nobody said where chroma is: set chroma.url");
    check("preset = 'tiered'\npostgres.url = 'postgres://db/c'", "nobody said where redis is");
    check("routes = '* -> mem0'", "cannot use the routes beside the preset embedded");
    let both = "preset = 'postgres'\nbackend = 'filesystem'\npostgres.url = 'postgres://db/c'";
    check(both, "files of markdown count only beside an SQLite file");
    check("preset = 'cloud'", "give embedded, postgres, tiered or chroma");
    check("postgres.schema = 'My Schema'", "lower-case letters");
}

#[test]
fn no_error_shows_an_address() {
    let error = Machine::new().user_file("redis.url = 'redis:secret'").load(&Overrides::default());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("redis.url") && !error.contains("secret"), "{error}");
}

#[test]
fn texts_stand_where_the_preset_or_the_rules_say() {
    let file = "preset = 'tiered'\npostgres.url = 'postgres://me:secret@db/c'\n\
                redis.url = 'redis://r'\nqdrant.url = 'http://q'";
    let settings = Machine::new().user_file(file).load(&Overrides::default()).unwrap();
    assert_eq!(settings.home(), "postgres://me:***@db/c");
    assert_eq!(settings.stores().elsewhere().as_deref(), Some("redis, qdrant"));
    let ruled = format!("{file}\nroutes = '* -> redis'");
    let settings = Machine::new().user_file(&ruled).load(&Overrides::default()).unwrap();
    assert_eq!(settings.stores().elsewhere().as_deref(), Some("redis"));
    let plain = Machine::new().load(&Overrides::default()).unwrap();
    assert_eq!(plain.stores().elsewhere(), None);
}
