//! What a package needs to be of use to people who only have the package: every crate's manifest and the files beside it,
//! and that `cargo binstall` asks for the archives that the release workflow makes.

use std::path::Path;

use toml::{Table, Value};

use super::{Document, files, none, root};

/// The fields without which a package is hard to find or to trust.
const FIELDS: [&str; 9] = [
    "description",
    "version",
    "edition",
    "rust-version",
    "license",
    "repository",
    "keywords",
    "categories",
    "readme",
];

/// What a manifest lacks. `exists` tells whether a file beside it is there.
fn lacks(manifest: &Table, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let mut lacks = Vec::new();
    let package = manifest.get("package");
    let field = |name: &str| package.and_then(|package| package.get(name));
    lacks.extend(
        FIELDS
            .iter()
            .filter(|name| field(name).is_none())
            .map(|name| format!("no `{name}`")),
    );
    let docs_rs = field("metadata").and_then(|metadata| metadata.get("docs")?.get("rs"));
    if docs_rs.is_none() {
        lacks.push("no metadata for docs.rs".to_owned());
    }
    let readme = field("readme").and_then(Value::as_str).unwrap_or_default();
    for file in [readme, "LICENSE-MIT", "LICENSE-APACHE"] {
        if !exists(file) {
            lacks.push(format!("no file `{file}`"));
        }
    }
    lacks
}

/// The packages that are published: those below `crates`.
fn manifests(files: &[Document]) -> impl Iterator<Item = (&Document, Table)> {
    let of_crates = files.iter().filter(|file| {
        let inner = file.path.strip_prefix("crates/");
        inner.is_some_and(|path| path.ends_with("/Cargo.toml") && path.matches('/').count() == 1)
    });
    of_crates.map(|file| (file, file.text.parse().expect("a manifest")))
}

#[test]
fn every_package_has_what_a_registry_shows() {
    let files = files();
    let findings: Vec<String> = manifests(&files)
        .flat_map(|(file, manifest)| {
            let path = root().join(&file.path);
            let directory = path.parent().map(Path::to_owned).expect("a directory");
            let lacks = lacks(&manifest, |name| directory.join(name).is_file());
            lacks
                .into_iter()
                .map(|what| format!("{}: {what}", file.path))
        })
        .collect();
    assert!(manifests(&files).count() > 15);
    none("these packages lack something", findings);
}

#[test]
fn a_package_without_readme_or_licence_is_found() {
    let manifest: Table = "[package]\nname = 'x'\nreadme = 'README.md'"
        .parse()
        .unwrap();
    let found = lacks(&manifest, |file| file == "LICENSE-MIT");
    for what in [
        "no `keywords`",
        "no file `README.md`",
        "no file `LICENSE-APACHE`",
    ] {
        assert!(found.iter().any(|one| one == what), "{what}: {found:?}");
    }
}

#[test]
fn binstall_asks_for_the_archives_that_a_release_has() {
    let files = files();
    let text = |path: &str| {
        let file = files.iter().find(|file| file.path == path);
        file.unwrap_or_else(|| panic!("{path}")).text.as_str()
    };
    let manifest: Table = text("crates/cargo-atropos/Cargo.toml").parse().unwrap();
    let binstall = &manifest["package"]["metadata"]["binstall"];
    let workflow = text(".github/workflows/release.yml");
    for archive in [
        "name=cargo-atropos-${{ matrix.target }}",
        "\"$name.tar.gz\"",
    ] {
        assert!(workflow.contains(archive), "{archive}");
    }
    for machine in ["x86_64", "aarch64"] {
        let target = format!("{machine}-unknown-linux-musl");
        assert!(workflow.contains(&format!("target: {target}")), "{target}");
        let of_glibc = &binstall["overrides"][format!("{machine}-unknown-linux-gnu")];
        let url = of_glibc["pkg-url"].as_str().unwrap();
        assert!(
            url.ends_with(&format!("/{{ name }}-{target}.tar.gz")),
            "{url}"
        );
        let inside = of_glibc["bin-dir"].as_str().unwrap();
        assert!(
            inside.starts_with(&format!("{{ name }}-{target}/")),
            "{inside}"
        );
    }
    let url = binstall["pkg-url"].as_str().unwrap();
    assert!(
        url.ends_with("/v{ version }/{ name }-{ target }.tar.gz"),
        "{url}"
    );
}
