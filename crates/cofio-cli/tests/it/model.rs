//! Models: what there is, getting it, and where it lies.

use std::fs;

use serde_json::Value;

use crate::machine::{Machine, complaint, published};

#[test]
fn a_model_is_pulled_from_a_folder_and_then_in_use() {
    let machine = Machine::new();
    for name in ["model.safetensors", "tokenizer.json"] {
        fs::create_dir_all(machine.path("published")).unwrap();
        fs::copy(published().join(name), machine.path("published").join(name)).unwrap();
    }
    machine.transcript(
        "
        $ cofio model list
        all-MiniLM-L6-v2 (not here)
          384 dimensions · SIZE to fetch · Apache-2.0
        en-core-web-sm (not here)
          finds names · SIZE to fetch · MIT
        ! in HOME/models
        $ cofio model path
        ! error: all-MiniLM-L6-v2 is not here: get it by cofio model pull all-MiniLM-L6-v2
        [3]
        $ cofio model pull --from published
        all-MiniLM-L6-v2 is here: HOME/models/all-MiniLM-L6-v2.cofio (SIZE)
          from     published
          sha256   HASH, as published
        $ cofio model pull
        all-MiniLM-L6-v2 is here already: HOME/models/all-MiniLM-L6-v2.cofio
        $ cofio model list
        all-MiniLM-L6-v2 (in use)
          384 dimensions · SIZE · Apache-2.0
        en-core-web-sm (not here)
          finds names · SIZE to fetch · MIT
        ! in HOME/models
        $ COFIO_EMBEDDER=none cofio model list
        all-MiniLM-L6-v2 (here)
          384 dimensions · SIZE · Apache-2.0
        en-core-web-sm (not here)
          finds names · SIZE to fetch · MIT
        ! in HOME/models
        $ cofio model path ALL-minilm-l6-v2
        HOME/models/all-MiniLM-L6-v2.cofio
        $ cofio model path --json
        {
          \"name\": \"all-MiniLM-L6-v2\",
          \"path\": \"HOME/models/all-MiniLM-L6-v2.cofio\"
        }
        $ COFIO_MODELS_DIR=elsewhere cofio model path
        ! error: all-MiniLM-L6-v2 is not here: get it by cofio model pull all-MiniLM-L6-v2
        [3]
        ",
    );
    // It says the same to programs.
    let json = |arguments: &str| -> Value {
        let output = machine.run(arguments);
        assert_eq!(complaint(&output), (String::new(), 0), "{arguments}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let list = json("model list --json");
    let model = &list["models"][0];
    assert_eq!((&model["installed"], &model["inUse"]), (&Value::Bool(true), &Value::Bool(true)));
    assert_eq!(model["downloadBytes"], 91_334_623);
    let again = json("model pull --json");
    assert_eq!((&again["existing"], &again["from"]), (&Value::Bool(true), &Value::Null));
    let forced = json("model pull --force --from published --json");
    assert_eq!((&forced["existing"], &forced["from"]), (&Value::Bool(false), &"published".into()));
    let sha256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db";
    assert_eq!(forced["sha256"], sha256);
    // What was published is not kept twice.
    let mut names: Vec<_> = fs::read_dir(machine.home("models"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["all-MiniLM-L6-v2.cofio", "all-MiniLM-L6-v2.lock"]);
}

#[test]
fn what_was_not_published_is_refused() {
    let machine = Machine::new();
    machine.write("short/model.safetensors", "not a model");
    machine.write("wrong/model.safetensors", vec![7; 90_868_376]);
    machine.write("empty/readme", "");
    machine.transcript(
        "
        $ cofio model pull --from short
        ! error: short/model.safetensors is not what was published: it has 11 bytes, not 90868376
        [1]
        $ cofio model pull --from wrong
        ! error: wrong/model.safetensors is not what was published: its sha256 is HASH, not HASH
        [1]
        $ cofio model pull --from empty
        ! error: cannot read empty/model.safetensors: it is not there
        [3]
        $ cofio model path
        ! error: all-MiniLM-L6-v2 is not here: get it by cofio model pull all-MiniLM-L6-v2
        [3]
        ",
    );
}

#[test]
fn a_name_that_is_unknown_is_answered_with_the_nearest() {
    Machine::new().transcript(
        r#"
        $ cofio model pull all-MinLM-L6-v2
        ! error: there is no model "all-MinLM-L6-v2": did you mean all-MiniLM-L6-v2?
        [3]
        $ cofio model path minilm
        ! error: there is no model "minilm": did you mean all-MiniLM-L6-v2?
        [3]
        $ cofio model path gpt
        ! error: there is no model "gpt": known are all-MiniLM-L6-v2, en-core-web-sm
        [3]
        "#,
    );
}

#[test]
fn a_hub_that_is_no_address_is_refused() {
    Machine::new().transcript(
        "
        $ HF_ENDPOINT=mirror cofio model pull --from hub
        ! error: cannot use the address of the hub: an example is https://huggingface.co
        [1]
        ",
    );
}
