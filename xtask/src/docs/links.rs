//! Links in Markdown files: that every relative link and anchor leads to something that exists, that files of the
//! repository which are named as code exist, and that pages of the book only link to what the book holds. Links to
//! other hosts are not followed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Where the book's pages are, from the root of the repository.
const PAGES: &str = "docs/src";
const SUMMARY: &str = "docs/src/SUMMARY.md";

/// Where paths of the repository begin.
const FOLDERS: [&str; 6] = [
    "crates/",
    "docs/",
    "examples/",
    "experiments/",
    "testdata/",
    "xtask/",
];

/// What a Markdown file has to do with links.
#[derive(Default)]
struct Page {
    /// The lines and destinations of its links and images.
    links: Vec<(usize, String)>,
    /// The lines and names of files and folders of the repository that it speaks of.
    paths: Vec<(usize, String)>,
    anchors: BTreeSet<String>,
}

/// Everything that is wrong with the links of a repository, as `file:line: what is wrong`.
pub fn broken(root: &Path) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    markdown_files(root, Path::new(""), &mut paths)?;
    let mut pages = BTreeMap::new();
    for path in paths {
        let text = fs::read_to_string(root.join(&path))
            .with_context(|| format!("can't read {}", path.display()))?;
        pages.insert(path, read(&text));
    }
    let mut findings = Vec::new();
    for (path, page) in &pages {
        for (line, destination) in &page.links {
            if let Err(sentence) = check(root, &pages, path, destination) {
                findings.push(format!("{}:{line}: {sentence}", path.display()));
            }
        }
        for (line, named) in &page.paths {
            if !root.join(named).exists() {
                findings.push(format!(
                    "{}:{line}: `{named}` does not exist",
                    path.display()
                ));
            }
        }
    }
    findings.extend(pages_out_of_sight(&pages));
    Ok(findings)
}

fn markdown_files(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let directory = root.join(folder);
    let entries =
        fs::read_dir(&directory).with_context(|| format!("can't read {}", directory.display()))?;
    for entry in entries {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        let name = entry.file_name();
        if name == "target" || name.to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            markdown_files(root, &path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    Ok(())
}

fn read(text: &str) -> Page {
    let mut page = Page::default();
    let mut heading: Option<String> = None;
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                let line = text[..range.start].matches('\n').count() + 1;
                page.links.push((line, dest_url.into_string()));
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(ref part) | Event::Code(ref part) => {
                if matches!(event, Event::Code(_)) && is_path(part) {
                    let line = text[..range.start].matches('\n').count() + 1;
                    page.paths.push((line, part.to_string()));
                }
                if let Some(heading) = &mut heading {
                    heading.push_str(part);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let anchor = anchor(&heading.take().unwrap_or_default());
                let unused = (0..).map(|number| match number {
                    0 => anchor.clone(),
                    number => format!("{anchor}-{number}"),
                });
                let mut unused = unused.filter(|anchor| !page.anchors.contains(anchor));
                let unused = unused.next().unwrap_or_default();
                page.anchors.insert(unused);
            }
            _ => {}
        }
    }
    page
}

/// Whether code names a file or folder of the repository; one with a blank or a pattern in it is more than that.
fn is_path(code: &str) -> bool {
    let is_of_path = |letter: char| letter.is_ascii_alphanumeric() || "/._-".contains(letter);
    FOLDERS.iter().any(|folder| code.starts_with(folder)) && code.chars().all(is_of_path)
}

/// A heading's anchor, as mdBook and GitHub make it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|letter| match letter {
        letter if letter.is_alphanumeric() || letter == '_' || letter == '-' => Some(letter),
        letter if letter.is_whitespace() => Some('-'),
        _ => None,
    });
    kept.flat_map(char::to_lowercase).collect()
}

/// What is wrong with a link, if anything.
fn check(
    root: &Path,
    pages: &BTreeMap<PathBuf, Page>,
    from: &Path,
    destination: &str,
) -> Result<(), String> {
    if destination.contains("://") || destination.starts_with("mailto:") {
        return Ok(());
    }
    let (file, anchor) = match destination.split_once('#') {
        Some((file, anchor)) => (file, Some(anchor)),
        None => (destination, None),
    };
    let target = match file {
        "" => from.to_owned(),
        file => joined(from.parent().unwrap_or(Path::new("")), file)
            .ok_or_else(|| format!("`{destination}` leads out of the repository"))?,
    };
    if from.starts_with(PAGES) && !target.starts_with(PAGES) {
        return Err(format!("`{destination}` leads out of the book"));
    }
    if !root.join(&target).exists() {
        return Err(format!("`{destination}` does not exist"));
    }
    match (anchor, pages.get(&target)) {
        (Some(anchor), Some(page)) if !page.anchors.contains(anchor) => Err(format!(
            "`{destination}`: {} has no heading for it",
            target.display()
        )),
        _ => Ok(()),
    }
}

/// A relative path from a folder, without `.` and `..`.
fn joined(folder: &Path, path: &str) -> Option<PathBuf> {
    let mut joined = folder.to_owned();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(part) => joined.push(part),
            Component::CurDir => {}
            Component::ParentDir => {
                if !joined.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(joined)
}

/// Pages of the book that its summary does not name: no reader would find them.
fn pages_out_of_sight(pages: &BTreeMap<PathBuf, Page>) -> Vec<String> {
    let Some(summary) = pages.get(Path::new(SUMMARY)) else {
        return Vec::new();
    };
    let named: BTreeSet<PathBuf> = summary
        .links
        .iter()
        .filter_map(|(_, destination)| joined(Path::new(PAGES), destination))
        .collect();
    let all = pages.keys().filter(|path| path.starts_with(PAGES));
    all.filter(|path| *path != Path::new(SUMMARY) && !named.contains(*path))
        .map(|path| format!("{}: {SUMMARY} does not name it", path.display()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_leads_somewhere() {
        let findings = broken(&super::super::root()).expect("the repository can be read");
        assert!(
            findings.is_empty(),
            "broken links:\n{}",
            findings.join("\n")
        );
    }

    #[test]
    fn anchors_are_those_of_the_book() {
        assert_eq!(anchor("Which survivors matter"), "which-survivors-matter");
        assert_eq!(
            anchor("`outcomes.json`, version 1"),
            "outcomesjson-version-1"
        );
        let page =
            read("# One\n\n## Two `a.b`\n\n# One\n\n```text\n# no heading\n[no](link.md)\n```\n");
        let anchors: Vec<&str> = page.anchors.iter().map(String::as_str).collect();
        assert_eq!(anchors, ["one", "one-1", "two-ab"]);
        assert!(page.links.is_empty());
    }

    #[test]
    fn each_kind_of_broken_link_is_told_with_its_line() {
        let root = std::env::temp_dir().join(format!("atropos-links-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        };
        write(
            "README.md",
            "# A\n\n[b](docs/src/b.md#here) [c](docs/src/b.md#nowhere)\n[d](gone.md)\n",
        );
        write("docs/src/SUMMARY.md", "[b](b.md)\n");
        write(
            "docs/src/b.md",
            "# Here\n\n[a](../../README.md)\n[out](../../../x.md)\n[web](https://example.org/x)\n",
        );
        write(
            "docs/src/lost.md",
            "# Lost: `docs/src`, `docs/gone.rs`, `docs/*`\n",
        );
        let findings = broken(&root);
        fs::remove_dir_all(&root).expect("it was made");
        let expected = [
            "README.md:3: `docs/src/b.md#nowhere`: docs/src/b.md has no heading for it",
            "README.md:4: `gone.md` does not exist",
            "docs/src/b.md:3: `../../README.md` leads out of the book",
            "docs/src/b.md:4: `../../../x.md` leads out of the repository",
            "docs/src/lost.md:1: `docs/gone.rs` does not exist",
            "docs/src/lost.md: docs/src/SUMMARY.md does not name it",
        ];
        assert_eq!(findings.expect("it can be read"), expected);
    }
}
