//! Where settings come from, and what the doctor says about them.

use std::process::Command;

use serde_json::Value;

use crate::machine::{Machine, complaint};

#[test]
fn a_flag_beats_a_variable_beats_the_project_beats_the_user() {
    let machine = Machine::new();
    std::fs::create_dir_all(machine.home("")).unwrap();
    std::fs::write(
        machine.home("config.toml"),
        "team = \"from-user\"\norg = \"from-user\"\nlayer = \"team\"\n",
    )
    .unwrap();
    machine.write(".cofio/config.toml", "team = \"from-project\"\nkind = \"reflection\"\n");
    machine.transcript(
        "
        $ cofio remember one
        remembered ref_1 in team:from-project
        $ COFIO_TEAM=from-variable cofio remember two
        remembered ref_2 in team:from-variable
        $ COFIO_TEAM=from-variable cofio remember three --team from-flag --layer team
        remembered ref_3 in team:from-flag
        $ COFIO_LAYER=org cofio remember four
        remembered ref_4 in org:from-user
        ",
    );
}

#[test]
fn a_wrong_setting_is_wrong_usage() {
    let machine = Machine::new();
    machine.transcript(
        r#"
        $ COFIO_LIMIT=many cofio list
        ! error: cannot use "many" for limit (variable COFIO_LIMIT): give a whole number from 1 to 1000
        [2]
        $ cofio list --color loud --json
        ! {
        !   "error": {
        !     "code": "CONFIGURATION_ERROR",
        !     "message": "cannot use \"loud\" for color (flag --color): give auto, always or never",
        !     "operation": null,
        !     "details": {},
        !     "retryable": false
        !   }
        ! }
        [2]
        $ cofio list --user ' '
        ! error: cannot use " " for user (flag --user): an identifier needs a character, and no space around it
        [2]
        $ cofio list --store .
        ! error: cannot use "." for store (flag --store): that is a folder; give a file, such as WORK/cofio.db
        [2]
        "#,
    );
    machine.write(".cofio/config.toml", "store = \"mine.db\"\n");
    machine.transcript(
        "
        $ cofio list
        ! error: WORK/.cofio/config.toml:1 sets store, which a project's file may not: remove it there, and put it into your own file or into the variable COFIO_STORE
        [2]
        ",
    );
}

#[test]
fn the_doctor_says_where_everything_is() {
    let machine = Machine::new();
    machine.transcript(
        "
        $ cofio doctor --team blue
        cofio 0.1.0

        places
          store         HOME/cofio.db (not there)
          your file     HOME/config.toml (not there)
          project file  none

        settings
          store                         HOME/cofio.db  (default)
          backend                       sqlite  (default)
          memory_dir                    WORK/.cofio/memory  (default)
          preset                        embedded  (default)
          routes                        -  (default)
          postgres.url                  -  (default)
          postgres.schema               cofio  (default)
          postgres.connections          8  (default)
          postgres.connect_timeout_ms   10000  (default)
          postgres.statement_timeout_ms 60000  (default)
          postgres.lock_timeout_ms      30000  (default)
          postgres.certificates         -  (default)
          redis.url                     -  (default)
          redis.promise                 durable  (default)
          qdrant.url                    -  (default)
          qdrant.key_env                QDRANT_API_KEY  (default)
          chroma.url                    -  (default)
          chroma.tenant                 default_tenant  (default)
          chroma.database               default_database  (default)
          chroma.key_env                CHROMA_API_KEY  (default)
          mem0.url                      -  (default)
          mem0.key_env                  MEM0_API_KEY  (default)
          retry.retries                 3  (default)
          retry.first_delay_ms          1000  (default)
          retry.longest_delay_ms        30000  (default)
          retry.timeout_ms              10000  (default)
          user                          alice  (variable USER)
          agent                         -  (default)
          session                       -  (default)
          project                       -  (default)
          team                          blue  (flag --team)
          org                           -  (default)
          company                       -  (default)
          layer                         user  (default)
          kind                          fact  (default)
          limit                         10  (default)
          time_zone                     UTC  (default)
          episode_days                  90  (default)
          window_turns                  5  (default)
          secret_replacement            [SECRET_REDACTED]  (default)
          on_secret                     redact  (default)
          max_content_bytes             262144  (default)
          embedder                      minilm  (default)
          models_dir                    HOME/models  (default)
          openai.url                    https://api.openai.com/v1  (default)
          openai.model                  text-embedding-3-small  (default)
          openai.dimensions             -  (default)
          openai.key_env                OPENAI_API_KEY  (default)
          llm.provider                  none  (default)
          llm.url                       -  (default)
          llm.model                     -  (default)
          llm.key_env                   -  (default)
          llm.tokens_per_day            -  (default)
          llm.tokens_per_job            -  (default)
          llm.tokens_per_scope          -  (default)
          llm.money_per_day             -  (default)
          llm.money_per_job             -  (default)
          llm.money_per_scope           -  (default)
          llm.price_input               -  (default)
          llm.price_output              -  (default)
          schedule.enrich               0 2 * * *  (default)
          schedule.consolidate          0 3 * * *  (default)
          schedule.promote              30 3 * * *  (default)
          schedule.decay                0 4 * * *  (default)
          schedule.reflect              0 3 * * sun  (default)
          schedule.expire               @hourly  (default)
          decay.formula                 ebbinghaus  (default)
          decay.pace                    1  (default)
          decay.threshold               0.05  (default)
          decay.rest_days               30  (default)
          decay.exempt_layers           -  (default)
          sessions.idle_minutes         30  (default)
          sessions.keep_days            -  (default)
          sessions.promotion            0.7  (default)
          merge.similarity              0.9  (default)
          guard.share                   0.3  (default)
          mcp.source                    user  (default)
          hooks                         all  (default)
          color                         auto  (default)

        checks
          ok       store: nothing was remembered yet
          ok       recognisers: patterns, projects, names; cofio model pull en-core-web-sm adds a model that judges by context
          WARNING  embeddings: all-MiniLM-L6-v2 is not here: cofio model pull gets it
        ",
    );
    assert!(machine.run("remember tea").status.success());
    let report: Value =
        serde_json::from_slice(&machine.run("doctor --rebuild --json").stdout).unwrap();
    let checks: Vec<_> = report["checks"].as_array().unwrap().iter().collect();
    let names: Vec<_> = checks.iter().map(|check| check["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["rebuild", "modes", "store", "audit", "recognisers", "embeddings"]);
    assert!(checks.iter().all(|check| check["ok"] == true), "{report}");
    assert_eq!(
        (&report["embeddings"]["pending"], &report["embeddings"]["perCent"]),
        (&1.into(), &0.into())
    );
    assert_eq!(report["settings"][26]["origin"], "variable USER");
}

#[test]
fn the_doctor_says_which_language_model_would_be_asked() {
    let machine = Machine::new();
    let wanted = "COFIO_LLM_PROVIDER=anthropic COFIO_LLM_MODEL=tiny";
    machine.transcript(&format!(
        "
        $ {wanted} cofio doctor
        ! error: cannot use anthropic for llm.provider (variable COFIO_LLM_PROVIDER), as nobody said how much may be spent in a day: set llm.tokens_per_day, or llm.money_per_day with the prices
        [2]
        "
    ));
    let report = |key: &str| {
        let mut command = machine.command();
        let variables = [
            ("COFIO_LLM_PROVIDER", "anthropic"),
            ("COFIO_LLM_MODEL", "tiny"),
            ("COFIO_LLM_TOKENS_PER_DAY", "1000"),
            ("ANTHROPIC_API_KEY", key),
        ];
        let output = command.envs(variables).args(["doctor", "--json"]).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["checks"].as_array().unwrap().iter().find(|check| check["name"] == "llm").cloned()
    };
    let check = report("sk-0123").unwrap();
    assert_eq!(
        (&check["ok"], &check["detail"]),
        (&true.into(), &"tiny at https://api.anthropic.com/v1".into())
    );
    let check = report("sk 0123").unwrap();
    assert_eq!(check["ok"], false);
    assert!(!check.to_string().contains("0123"), "{check}");
}

#[test]
fn the_doctor_finds_what_is_wrong() {
    let machine = Machine::new();
    assert!(machine.run("remember tea").status.success());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(machine.home("cofio.db"), open).unwrap();
        let output = machine.run("doctor");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("PROBLEM  modes"), "{text}");
        assert_eq!(complaint(&output), ("error: 1 problem".to_owned(), 1));
    }
    std::fs::write(machine.home("cofio.db"), "this is no database".repeat(1000)).unwrap();
    let output = machine.run("doctor");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("PROBLEM  store: "), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_doctor_finds_what_killed_commands_left() {
    let machine = Machine::new();
    assert!(machine.run("remember tea").status.success());
    let left = [
        "cofio.db.damaged-2",
        "cofio.db.partial-0",
        "cofio.db.restore-0",
        "cofio.db.v1.backup.partial-0",
    ];
    for name in left.iter().chain(&["cofio.db.v1.backup", "notes.partial-0", "cofio.dbx.restore-0"])
    {
        std::fs::write(machine.home(name), "").unwrap();
    }
    let output = machine.run("doctor");
    let text = String::from_utf8(output.stdout).unwrap();
    let warning = text.lines().find(|line| line.contains("leftovers")).unwrap();
    let files: Vec<String> = left.map(|name| machine.home(name).display().to_string()).to_vec();
    let expected =
        format!("  WARNING  leftovers: {}: earlier commands left this", files.join(", "));
    assert!(warning.starts_with(&expected) && warning.contains("delete it"), "{text}");
    assert_eq!(output.status.code(), Some(0));
}

#[cfg(unix)]
#[test]
fn the_doctor_finds_a_link_that_leads_nowhere() {
    let machine = Machine::new();
    std::fs::create_dir(machine.home("")).unwrap();
    std::os::unix::fs::symlink("gone.db", machine.home("cofio.db")).unwrap();
    for arguments in ["doctor", "doctor --rebuild"] {
        let output = machine.run(arguments);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let expected =
            format!("{} is a link that leads nowhere", machine.home("cofio.db").display());
        assert!(text.contains("PROBLEM  store: ") && text.contains(&expected), "{text}");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn worktrees_are_one_project() {
    let machine = Machine::new();
    let git = |folder: &str, arguments: &str| {
        let mut command = Command::new("git");
        command.current_dir(machine.path(folder)).args(arguments.split(' '));
        command.env("GIT_CONFIG_GLOBAL", machine.path("none")).env("GIT_CONFIG_NOSYSTEM", "1");
        for name in ["GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        assert!(command.status().expect("git is installed where the tests run").success());
    };
    git("", "init --quiet app");
    git("app", "-c user.name=x -c user.email=x@example.org commit --quiet --allow-empty -m x");
    git("app", "worktree add --quiet ../tree");
    git("", "init --quiet elsewhere");
    let run = |folder: &str, arguments: &[&str]| {
        let output = machine.command().current_dir(machine.path(folder)).args(arguments).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    std::fs::create_dir(machine.path("tree/deep")).unwrap();
    let remembered = run("app", &["remember", "tabs, not spaces", "--layer", "project"]);
    assert!(remembered.contains("in project:app-"), "{remembered}");
    assert!(run("tree/deep", &["search", "tabs"]).contains("tabs, not spaces"));
    assert_eq!(run("elsewhere", &["search", "tabs"]), "");
    assert_eq!(run("", &["search", "tabs"]), "");
}
