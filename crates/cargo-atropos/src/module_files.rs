//! Which file a `mod name;` means: rustc's rules, without rustc. Pure but for asking whether a
//! file is there.

use atropos_mutants::mutant::ChildModule;
use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};

/// A source file as the home of modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleFile {
    pub path: Utf8PathBuf,
    /// Whether its submodules lie beside it (crate roots, `mod.rs`, files named by a `path`
    /// attribute) rather than in a directory of its name.
    owns_directory: bool,
}

impl ModuleFile {
    pub fn crate_root(path: Utf8PathBuf) -> ModuleFile {
        ModuleFile {
            path,
            owns_directory: true,
        }
    }

    /// The file of a module declared in this one, or the places where it was sought without success.
    pub fn child(
        &self,
        module: &ChildModule,
        exists: impl Fn(&Utf8Path) -> bool,
    ) -> Result<ModuleFile, Vec<Utf8PathBuf>> {
        let (name, inline) = module.path.split_last().expect("a module has a name");
        if let Some(path) = &module.path_attribute {
            // Straight in the file it is relative to the file; inside an inline module, to where
            // that module's own submodules would lie.
            let base = if inline.is_empty() {
                self.directory().to_owned()
            } else {
                self.submodules(inline, &module.outer_path_attributes)
            };
            let path = simplified(&base.join(path));
            return if exists(&path) {
                Ok(ModuleFile::crate_root(path))
            } else {
                Err(vec![path])
            };
        }
        let directory = self.submodules(inline, &module.outer_path_attributes);
        let name = plain(name);
        let beside = directory.join(format!("{name}.rs"));
        let within = directory.join(name).join("mod.rs");
        if exists(&beside) {
            Ok(ModuleFile {
                path: beside,
                owns_directory: false,
            })
        } else if exists(&within) {
            Ok(ModuleFile::crate_root(within))
        } else {
            Err(vec![beside, within])
        }
    }

    fn directory(&self) -> &Utf8Path {
        self.path.parent().unwrap_or(Utf8Path::new(""))
    }

    /// Where the submodules of these nested inline modules lie. An inline module's `path` attribute
    /// names its directory.
    fn submodules(&self, inline: &[String], attributes: &[Option<String>]) -> Utf8PathBuf {
        let mut directory = self.directory().to_owned();
        let mut own_name =
            (!self.owns_directory).then(|| self.path.file_stem().unwrap_or_default());
        for (depth, name) in inline.iter().enumerate() {
            match attributes.get(depth) {
                Some(Some(path)) => {
                    own_name = None;
                    directory.push(path);
                }
                _ => {
                    directory.extend(own_name.take());
                    directory.push(plain(name));
                }
            }
        }
        directory.extend(own_name);
        simplified(&directory)
    }
}

/// `r#type` is looked for as `type`.
fn plain(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// Takes `.` and `name/..` out, so that a file has one path. (Through a symbolic link to a
/// directory `..` may mean another place; rustc's own messages have the same weakness.)
pub fn simplified(path: &Utf8Path) -> Utf8PathBuf {
    let mut simple = Utf8PathBuf::new();
    for component in path.components() {
        match component.as_str() {
            "." => {}
            ".." if simple.file_name().is_some() => {
                simple.pop();
            }
            other => simple.push(other),
        }
    }
    simple
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(path: &str, path_attribute: Option<&str>) -> ChildModule {
        ChildModule {
            path: path.split("::").map(str::to_owned).collect(),
            path_attribute: path_attribute.map(str::to_owned),
            outer_path_attributes: vec![None; path.matches("::").count()],
            cfg: Vec::new(),
            test_only: false,
        }
    }

    /// Finds `module` from `file` when `there` exists.
    fn check(file: ModuleFile, module: ChildModule, there: &str, owns_directory: bool) {
        let found = file.child(&module, |path| path == there);
        assert_eq!(
            found,
            Ok(ModuleFile {
                path: there.into(),
                owns_directory
            })
        );
    }

    fn root() -> ModuleFile {
        ModuleFile::crate_root("src/lib.rs".into())
    }

    fn plain_file() -> ModuleFile {
        ModuleFile {
            path: "src/a.rs".into(),
            owns_directory: false,
        }
    }

    #[test]
    fn a_module_lies_beside_the_crate_root_or_in_its_own_directory() {
        check(root(), module("a", None), "src/a.rs", false);
        check(root(), module("a", None), "src/a/mod.rs", true);
        check(root(), module("r#type", None), "src/type.rs", false);
    }

    #[test]
    fn a_submodule_of_a_plain_file_lies_in_a_directory_of_its_name() {
        check(plain_file(), module("b", None), "src/a/b.rs", false);
        let mod_rs = ModuleFile::crate_root("src/a/mod.rs".into());
        check(mod_rs, module("b", None), "src/a/b.rs", false);
    }

    #[test]
    fn inline_modules_are_directories() {
        check(root(), module("x::y::z", None), "src/x/y/z.rs", false);
        check(plain_file(), module("x::z", None), "src/a/x/z/mod.rs", true);
    }

    #[test]
    fn a_path_attribute_is_relative_to_the_file_or_to_the_inline_module() {
        let odd = Some("odd/name.rs");
        check(root(), module("b", odd), "src/odd/name.rs", true);
        check(plain_file(), module("b", odd), "src/odd/name.rs", true);
        check(root(), module("x::b", odd), "src/x/odd/name.rs", true);
        check(
            plain_file(),
            module("x::b", odd),
            "src/a/x/odd/name.rs",
            true,
        );
        check(root(), module("b", Some("../other.rs")), "other.rs", true);
    }

    #[test]
    fn a_path_attribute_of_an_inline_module_names_its_directory() {
        let mut inner = module("x::b", None);
        inner.outer_path_attributes = vec![Some("elsewhere".into())];
        check(root(), inner.clone(), "src/elsewhere/b.rs", false);
        check(plain_file(), inner, "src/elsewhere/b.rs", false);
        let mut deep = module("x::y::b", None);
        deep.outer_path_attributes = vec![None, Some("elsewhere".into())];
        check(plain_file(), deep, "src/a/x/elsewhere/b.rs", false);
    }

    #[test]
    fn a_missing_file_is_answered_with_where_it_was_sought() {
        let sought = root().child(&module("a", None), |_| false).unwrap_err();
        assert_eq!(sought, ["src/a.rs", "src/a/mod.rs"]);
    }

    #[test]
    fn paths_are_made_simple() {
        for (path, expected) in [
            ("/a/./b/../c.rs", "/a/c.rs"),
            ("../x/../../y.rs", "../../y.rs"),
            ("a/b/../../c", "c"),
        ] {
            assert_eq!(simplified(Utf8Path::new(path)), expected, "{path}");
        }
    }
}
