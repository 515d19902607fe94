//! The `cfg` values in force for one compile unit, and which code they leave out.

use std::process::Command;
use std::str::FromStr;

use anyhow::{Context, Result};
use cargo_platform::{Cfg, CfgExpr};

use super::compiler::CompilerEnded;

/// The values that rustc names for a unit.
pub struct UnitCfg {
    values: Vec<Cfg>,
}

impl UnitCfg {
    /// Asks rustc.
    pub fn ask(mut print_cfg: Command) -> Result<UnitCfg> {
        let output = print_cfg.output().context("can't run rustc")?;
        if !output.status.success() {
            return Err(CompilerEnded::by(output.status).into());
        }
        Ok(UnitCfg::parse(&String::from_utf8_lossy(&output.stdout)))
    }

    fn parse(text: &str) -> UnitCfg {
        UnitCfg {
            values: text
                .lines()
                .filter_map(|line| Cfg::from_str(line).ok())
                .collect(),
        }
    }

    /// Whether code under this predicate is compiled. What can't be read counts as compiled,
    /// because a mutant must not be called "not built" by mistake.
    pub fn holds(&self, predicate: &str) -> bool {
        CfgExpr::from_str(predicate).map_or(true, |expression| expression.matches(&self.values))
    }

    pub fn all_hold(&self, predicates: &[String]) -> bool {
        predicates.iter().all(|predicate| self.holds(predicate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predicates_are_evaluated_as_rustc_does() {
        let cfg = UnitCfg::parse("unix\nfeature=\"std\"\ntarget_os=\"linux\"\ntest\n");
        let check = |predicate: &str, expected: bool| {
            assert_eq!(cfg.holds(predicate), expected, "{predicate}");
        };
        check("unix", true);
        check("windows", false);
        check("feature = \"std\"", true);
        check("feature = \"serde\"", false);
        check("not(feature = \"serde\")", true);
        check("all(unix, any(windows, test))", true);
        check("all(unix, not(test))", false);
        check("this is no predicate", true);
    }
}
