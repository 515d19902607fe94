//! Code that is evaluated at compile time: nothing in it may be touched, but the closures and
//! items within it run like any other code (`static LAZY: LazyLock<T> = LazyLock::new(|| …)`).

use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprCall, ExprClosure, ExprRepeat, Item};

use crate::walk::{WalkMode, Walker};

pub(crate) struct ConstantItem<'w, 'a> {
    walker: &'w mut Walker<'a>,
    /// What was allowed around the constant.
    mode: WalkMode,
}

impl<'w, 'a> ConstantItem<'w, 'a> {
    pub fn new(walker: &'w mut Walker<'a>, mode: WalkMode) -> Self {
        ConstantItem { walker, mode }
    }

    pub fn expression(&mut self, expression: &Expr) {
        self.visit_expr(expression);
    }

    pub fn block(&mut self, block: &Block) {
        self.visit_block(block);
    }
}

impl<'ast> Visit<'ast> for ConstantItem<'_, '_> {
    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        let mode = self.mode;
        self.walker.in_mode(mode, |walker| {
            walker.marked(&closure.attrs, |walker| walker.closure(closure, false));
        });
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        let mode = self.mode;
        self.walker.in_mode(mode, |walker| walker.racy_lazy(call));
        visit::visit_expr_call(self, call);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        let mode = self.mode;
        self.walker.in_mode(mode, |walker| walker.item(item));
    }

    fn visit_expr_repeat(&mut self, repeat: &'ast ExprRepeat) {
        visit::visit_expr(self, &repeat.expr);
    }
}
