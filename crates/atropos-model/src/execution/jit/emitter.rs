//! The frame of one function: parameters, locals, calls of the runtime, ends of the trace.

use super::blocking::MayBeDisabled;
use super::compile::Tables;
use super::context::{
    DISABLED, OFFSET_BASES, OFFSET_MODE, OFFSET_STATE, OFFSET_STATUS, OFFSET_WORK, pack,
};
use crate::language::SourceSpan;
use crate::model::types::Width;
use crate::model::{Code, CodeId, ErrorKind, Model, TyId};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, FuncRef, InstBuilder as _, MemFlags, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Module as _};
use std::collections::HashMap;

/// What all functions of a model share while they are compiled.
pub(super) struct Shared<'s> {
    pub model: &'s Model,
    pub blocking: &'s MayBeDisabled,
    pub module: &'s mut JITModule,
    pub runtime: &'s HashMap<&'static str, FuncId>,
    pub codes: &'s [FuncId],
    /// Codes that are called, to be compiled as well.
    pub called: &'s mut Vec<CodeId>,
    pub tables: &'s mut Tables,
}

pub(super) struct Emitter<'s, 'f> {
    pub shared: Shared<'s>,
    pub builder: FunctionBuilder<'f>,
    pub id: CodeId,
    pub code: &'s Code,
    pub model: &'s Model,
    pub context: Value,
    /// The object as reference.
    pub this: Value,
    /// The address of its bytes.
    pub base: Value,
    mode: Value,
    /// Scalars themselves; addresses of lists, maps and tuples.
    pub locals: Vec<Variable>,
    pub exit: Block,
    pub disabled: Block,
    references: HashMap<&'static str, FuncRef>,
    code_references: HashMap<CodeId, FuncRef>,
}

impl<'s, 'f> Emitter<'s, 'f> {
    pub fn emit(shared: Shared<'s>, mut builder: FunctionBuilder<'f>, id: CodeId) {
        let model = shared.model;
        let code = model.code(id);
        let entry = builder.create_block();
        let exit = builder.create_block();
        let disabled = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let params = builder.block_params(entry).to_vec();
        let (context, this) = (params[0], params[1]);
        let trusted = MemFlags::trusted();
        let state = builder
            .ins()
            .load(types::I64, trusted, context, OFFSET_STATE);
        let bases = builder
            .ins()
            .load(types::I64, trusted, context, OFFSET_BASES);
        let mode = builder
            .ins()
            .load(types::I64, trusted, context, OFFSET_MODE);
        let number = builder.ins().iadd_imm(this, -1);
        let scaled = builder.ins().imul_imm(number, 4);
        let entry_address = builder.ins().iadd(bases, scaled);
        let offset = builder.ins().uload32(trusted, entry_address, 0);
        let base = builder.ins().iadd(state, offset);
        let locals = code
            .locals
            .iter()
            .map(|_| builder.declare_var(types::I64))
            .collect();
        let mut emitter = Emitter {
            shared,
            builder,
            id,
            code,
            model,
            context,
            this,
            base,
            mode,
            locals,
            exit,
            disabled,
            references: HashMap::new(),
            code_references: HashMap::new(),
        };
        emitter.spend(code.span);
        emitter.initialise_locals(&params[2..]);
        emitter.statement(&code.body);
        emitter.finish();
    }

    fn initialise_locals(&mut self, params: &[Value]) {
        let assigned = assigned_locals(self.code);
        for (at, local) in self.code.locals.iter().enumerate() {
            let scalar = self.model.types.is_scalar(local.ty);
            let value = match params.get(at) {
                Some(param) if scalar => *param,
                // The caller's bytes must stay as they are.
                Some(param) if assigned.contains(&(at as u32)) => self.copied(*param, local.ty),
                Some(param) => *param,
                None if scalar => {
                    let value = self.model.types.default_value(local.ty).scalar();
                    self.constant(value)
                }
                None => {
                    let ty = self.constant(i64::from(local.ty.0));
                    self.call("default_of", &[ty])
                }
            };
            self.builder.def_var(self.locals[at], value);
        }
    }

    fn finish(mut self) {
        let value = match self.code.result {
            Some(slot) => self.builder.use_var(self.locals[slot as usize]),
            None => self.constant(0),
        };
        self.builder.ins().return_(&[value]);
        self.builder.switch_to_block(self.disabled);
        let status = self.constant(DISABLED);
        self.builder
            .ins()
            .store(MemFlags::trusted(), status, self.context, OFFSET_STATUS);
        self.builder.ins().jump(self.exit, &[]);
        self.builder.switch_to_block(self.exit);
        let zero = self.constant(0);
        self.builder.ins().return_(&[zero]);
        self.builder.seal_all_blocks();
        self.builder.finalize();
    }

    pub fn constant(&mut self, value: i64) -> Value {
        self.builder.ins().iconst(types::I64, value)
    }

    pub fn ty(&mut self, ty: TyId) -> Value {
        self.constant(i64::from(ty.0))
    }

    pub fn place(&mut self, span: SourceSpan) -> Value {
        self.constant(pack(span))
    }

    /// Calls a runtime function that can't end the trace.
    pub fn call(&mut self, name: &'static str, args: &[Value]) -> Value {
        let reference = match self.references.get(name) {
            Some(reference) => *reference,
            None => {
                let id = self.shared.runtime[name];
                let reference = self
                    .shared
                    .module
                    .declare_func_in_func(id, self.builder.func);
                self.references.insert(name, reference);
                reference
            }
        };
        let mut all = vec![self.context];
        all.extend_from_slice(args);
        let call = self.builder.ins().call(reference, &all);
        self.builder.inst_results(call)[0]
    }

    /// Calls a runtime function and leaves if it ended the trace.
    pub fn call_checked(&mut self, name: &'static str, args: &[Value]) -> Value {
        let value = self.call(name, args);
        self.leave_if_ended();
        value
    }

    pub fn call_code(&mut self, id: CodeId, args: &[Value]) -> Value {
        let reference = match self.code_references.get(&id) {
            Some(reference) => *reference,
            None => {
                let function = self.shared.codes[id.0 as usize];
                let reference = self
                    .shared
                    .module
                    .declare_func_in_func(function, self.builder.func);
                self.code_references.insert(id, reference);
                self.shared.called.push(id);
                reference
            }
        };
        let mut all = vec![self.context];
        all.extend_from_slice(args);
        let call = self.builder.ins().call(reference, &all);
        let value = self.builder.inst_results(call)[0];
        self.leave_if_ended();
        value
    }

    fn leave_if_ended(&mut self) {
        let status =
            self.builder
                .ins()
                .load(types::I64, MemFlags::trusted(), self.context, OFFSET_STATUS);
        let next = self.builder.create_block();
        self.builder.ins().brif(status, self.exit, &[], next, &[]);
        self.builder.switch_to_block(next);
    }

    /// Goes on only if `condition` is not 0; otherwise the trace ends in an error.
    pub fn require(&mut self, condition: Value, kind: ErrorKind, span: SourceSpan) {
        let next = self.builder.create_block();
        let failing = self.builder.create_block();
        self.builder.ins().brif(condition, next, &[], failing, &[]);
        self.builder.switch_to_block(failing);
        self.builder.set_cold_block(failing);
        self.fail(kind, span);
        self.builder.switch_to_block(next);
    }

    /// Ends the trace in an error; what follows needs a block of its own.
    pub fn fail(&mut self, kind: ErrorKind, span: SourceSpan) {
        let kind = self.constant(kind as i64);
        let place = self.place(span);
        self.call("fail", &[kind, place]);
        self.builder.ins().jump(self.exit, &[]);
    }

    /// One step of a loop, or a call: goes on only if there have not been too many.
    pub fn spend(&mut self, span: SourceSpan) {
        let flags = MemFlags::trusted();
        let left = self
            .builder
            .ins()
            .load(types::I64, flags, self.context, OFFSET_WORK);
        let left = self.builder.ins().iadd_imm(left, -1);
        self.builder
            .ins()
            .store(flags, left, self.context, OFFSET_WORK);
        let enough = self
            .builder
            .ins()
            .icmp_imm(IntCC::SignedGreaterThanOrEqual, left, 0);
        self.require(enough, ErrorKind::TooMuchWork, span);
    }

    /// Goes on only if `condition` is not 0; otherwise the trace is disabled.
    pub fn require_enabled(&mut self, condition: Value) {
        let next = self.builder.create_block();
        self.builder
            .ins()
            .brif(condition, next, &[], self.disabled, &[]);
        self.builder.switch_to_block(next);
    }

    /// What acts at a mutation point: 0 for the original.
    pub fn mode_at(&mut self, point: crate::model::ModelPointId) -> Value {
        self.builder
            .ins()
            .uload8(types::I64, MemFlags::trusted(), self.mode, point.0 as i32)
    }

    /// `fast` where the original acts at a point, `slow` elsewhere; one value comes out.
    pub fn at_point(
        &mut self,
        point: crate::model::ModelPointId,
        fast: impl FnOnce(&mut Self) -> Value,
        slow: impl FnOnce(&mut Self, Value) -> Value,
    ) -> Value {
        let mode = self.mode_at(point);
        let result = self.builder.declare_var(types::I64);
        let (fast_block, slow_block, join) = (
            self.builder.create_block(),
            self.builder.create_block(),
            self.builder.create_block(),
        );
        self.builder
            .ins()
            .brif(mode, slow_block, &[], fast_block, &[]);
        self.builder.switch_to_block(fast_block);
        let value = fast(self);
        self.builder.def_var(result, value);
        self.builder.ins().jump(join, &[]);
        self.builder.switch_to_block(slow_block);
        let number = self.constant(i64::from(point.0));
        let value = slow(self, number);
        self.builder.def_var(result, value);
        self.builder.ins().jump(join, &[]);
        self.builder.switch_to_block(join);
        self.builder.use_var(result)
    }

    /// A scalar must be in its type's range to be stored.
    pub fn check_range(&mut self, value: Value, ty: TyId, span: SourceSpan) {
        use crate::model::Ty;
        let (Ty::Int { low, high } | Ty::Fixed { low, high }) = *self.model.types.get(ty) else {
            return;
        };
        if low > i64::MIN {
            let above = self
                .builder
                .ins()
                .icmp_imm(IntCC::SignedGreaterThanOrEqual, value, low);
            self.require(above, ErrorKind::OutOfRange, span);
        }
        if high < i64::MAX {
            let below = self
                .builder
                .ins()
                .icmp_imm(IntCC::SignedLessThanOrEqual, value, high);
            self.require(below, ErrorKind::OutOfRange, span);
        }
    }

    pub fn load(&mut self, width: Width, address: Value, offset: i32) -> Value {
        let flags = MemFlags::new().with_notrap();
        let ins = self.builder.ins();
        match width {
            Width::U8 => ins.uload8(types::I64, flags, address, offset),
            Width::I8 => ins.sload8(types::I64, flags, address, offset),
            Width::U16 => ins.uload16(types::I64, flags, address, offset),
            Width::I16 => ins.sload16(types::I64, flags, address, offset),
            Width::U32 => ins.uload32(flags, address, offset),
            Width::I32 => ins.sload32(flags, address, offset),
            Width::I64 => ins.load(types::I64, flags, address, offset),
        }
    }

    pub fn store(&mut self, width: Width, value: Value, address: Value, offset: i32) {
        // Values in the state are packed: they need not be aligned.
        let flags = MemFlags::new().with_notrap();
        let ins = self.builder.ins();
        match width.bytes() {
            1 => ins.istore8(flags, value, address, offset),
            2 => ins.istore16(flags, value, address, offset),
            4 => ins.istore32(flags, value, address, offset),
            _ => ins.store(flags, value, address, offset),
        };
    }

    /// The scalar at an address, or the address itself for anything larger.
    pub fn load_value(&mut self, ty: TyId, address: Value, offset: i32) -> Value {
        match self.model.types.width(ty) {
            Some(width) => self.load(width, address, offset),
            None => self.builder.ins().iadd_imm(address, i64::from(offset)),
        }
    }

    /// Writes a value that is in range into memory that is not part of the state.
    pub fn fill(&mut self, ty: TyId, value: Value, address: Value, offset: i32) {
        match self.model.types.width(ty) {
            Some(width) => self.store(width, value, address, offset),
            None => {
                let to = self.builder.ins().iadd_imm(address, i64::from(offset));
                let size = self.constant(i64::from(self.model.types.size(ty)));
                self.call("copy", &[to, value, size]);
            }
        }
    }

    pub fn copied(&mut self, address: Value, ty: TyId) -> Value {
        let size = self.constant(i64::from(self.model.types.size(ty)));
        let copy = self.call("allocate", &[size]);
        self.call("copy", &[copy, address, size]);
        copy
    }
}

/// Locals that are stored to somewhere in the code.
fn assigned_locals(code: &Code) -> Vec<u32> {
    use crate::model::{Stmt, StmtKind, TargetBase};
    fn visit(stmt: &Stmt, out: &mut Vec<u32>) {
        if let StmtKind::Assign { targets, .. } = &stmt.kind {
            for target in targets {
                if let TargetBase::Local(slot) = target.base {
                    out.push(slot);
                }
            }
        }
        crate::model::visit::substatements(stmt, &mut |inner| visit(inner, out));
    }
    let mut out = Vec::new();
    visit(&code.body, &mut out);
    out
}
