//! A change of any field of a manifest is found.

use std::fs;
use std::path::Path;

use netloom_records::{Problem, Verified, verify};
use serde_json::{Value, json};

use crate::sample;

fn read(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap()
}

fn write(folder: &Path, manifest: &Value) {
    fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
}

/// The pointers to all values that are no objects or lists.
fn leaves(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                leaves(value, &format!("{pointer}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                leaves(value, &format!("{pointer}/{index}"), found);
            }
        }
        _ => found.push(pointer.to_owned()),
    }
}

/// Another value of the same kind.
fn another(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => json!(number.as_f64().unwrap() + 0.5),
        Value::Number(number) => json!(number.as_u64().unwrap() ^ 1),
        Value::Bool(value) => json!(!value),
        Value::String(text) if text == "complete" => json!("stalled"),
        Value::String(text) if text.len() == 64 => json!(text.chars().rev().collect::<String>()),
        Value::String(text) => json!(format!("{text} ")),
        _ => json!(7),
    }
}

#[test]
fn a_change_of_any_field_but_the_wall_time_is_found() {
    let (_home, folder) = sample::workspace();
    sample::write(&sample::run(31, 5), &folder);
    assert!(verify(&folder).unwrap().covers_manifest());
    let whole = read(&folder);
    let mut pointers = Vec::new();
    leaves(&whole, "", &mut pointers);
    assert!(pointers.len() > 60, "{pointers:?}");
    for pointer in &pointers {
        let mut altered = whole.clone();
        let value = altered.pointer_mut(pointer).unwrap();
        *value = another(value);
        write(&folder, &altered);
        assert_eq!(verify(&folder).is_ok(), pointer == "/wall_time_s", "{pointer}");
    }
    for field in whole.as_object().unwrap().keys().filter(|field| *field != "wall_time_s") {
        let mut altered = whole.clone();
        altered.as_object_mut().unwrap().remove(field);
        write(&folder, &altered);
        let covered = verify(&folder).as_ref().is_ok_and(Verified::covers_manifest);
        assert!(!covered, "{field}");
    }
}

#[test]
fn fields_may_be_written_in_another_order_or_layout() {
    let (_home, folder) = sample::workspace();
    sample::write(&sample::run(32, 5), &folder);
    write(&folder, &read(&folder));
    assert!(verify(&folder).unwrap().covers_manifest());
}

#[test]
fn the_manifest_of_an_earlier_version_is_reported_as_not_covered() {
    let (_home, folder) = sample::workspace();
    sample::write(&sample::run(33, 5), &folder);
    let mut manifest = read(&folder);
    manifest.as_object_mut().unwrap().remove("manifest_digest");
    write(&folder, &manifest);
    assert!(!verify(&folder).unwrap().covers_manifest());
    manifest["manifest_digest"] = json!("0".repeat(64));
    write(&folder, &manifest);
    let problems = verify(&folder).unwrap_err();
    assert!(matches!(problems[..], [Problem::Manifest { .. }]), "{problems:?}");
}
