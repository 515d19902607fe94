//! Survivors of which it is known what they disturb, and functions of every kind to be observed.

mod kinds;

/// Its size is meant to follow its nodes, and no test looks at it.
pub struct Context {
    size: i64,
    nodes: Vec<u32>,
}

impl Context {
    pub fn new() -> Context {
        Context {
            size: 0,
            nodes: Vec::new(),
        }
    }

    pub fn push(&mut self, node: u32) {
        self.nodes.push(node);
        self.size += 1;
    }

    pub fn size(&self) -> i64 {
        self.size
    }

    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }
}

/// At the limit another way leads to the same value.
pub fn clamp(value: i64) -> i64 {
    if value > 100 {
        100
    } else {
        value
    }
}

/// No test has a value for which the difference shows.
pub fn is_far(value: i64) -> bool {
    value > 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_kept() {
        for count in 0..9 {
            let mut context = Context::new();
            for node in 0..count {
                context.push(node);
            }
            assert_eq!(context.nodes().len(), count as usize);
            let _ = context.size();
        }
    }

    #[test]
    fn values_are_clamped() {
        for (value, expected) in [(5, 5), (100, 100), (500, 100), (7, 7)] {
            assert_eq!(clamp(value), expected);
        }
    }

    #[test]
    fn far_is_far() {
        assert!(is_far(5000) && !is_far(3));
    }
}
