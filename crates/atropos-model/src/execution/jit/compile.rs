//! A model to native code, once; all workers share it.

use super::blocking::MayBeDisabled;
use super::context::JitContext;
use super::emitter::{Emitter, Shared};
use super::runtime::functions;
use crate::model::{CodeId, CodeKind, Model, ObjectId};
use anyhow::{Context as _, anyhow};
use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{AbiParam, Function, Signature, types};
use cranelift_codegen::isa::{CallConv, TargetIsa};
use cranelift_codegen::settings::{self, Configurable as _};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module as _, ModuleReloc, default_libcall_names};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

type Block = extern "C" fn(*mut JitContext, i64) -> i64;

pub struct CompiledModel {
    pub model: Arc<Model>,
    /// Where each object's bytes start.
    pub offsets: Arc<Vec<u32>>,
    /// Per code the address of its function, for do-od blocks.
    blocks: Vec<Option<Block>>,
    /// Kept for its memory; never touched again.
    _module: JITModule,
    /// Constants and tables that compiled code refers to by address.
    _tables: Tables,
}

/// Memory with fixed addresses.
#[derive(Default)]
pub(super) struct Tables {
    pub references: Vec<Box<[i64]>>,
    pub constants: Vec<Box<[u64]>>,
}

// SAFETY: after construction nothing in here changes; the module only owns the code's memory.
unsafe impl Send for CompiledModel {}
// SAFETY: as above.
unsafe impl Sync for CompiledModel {}

/// A function as the processor reads it, before its calls have addresses.
struct MachineCode {
    bytes: Vec<u8>,
    alignment: u64,
    relocations: Vec<ModuleReloc>,
}

impl CompiledModel {
    /// Compiles with so many threads.
    ///
    /// # Errors
    /// If the machine is not supported or code generation fails.
    pub fn new(model: &Arc<Model>, threads: usize) -> anyhow::Result<CompiledModel> {
        let mut module = module()?;
        let codes = declare_codes(model, &mut module)?;
        let mut tables = Tables::default();
        for objects in &model.instances {
            tables
                .references
                .push(objects.iter().map(|object| object.reference()).collect());
        }
        let functions = emit_all(model, &mut module, &codes, &mut tables)?;
        let compiled = compile_all(module.isa(), &functions, &codes, threads);
        for ((id, _), code) in functions.iter().zip(compiled) {
            let at = id.0 as usize;
            let name = || format!("can't compile `{}`", model.codes[at].name);
            let code = code.with_context(name)?;
            module
                .define_function_bytes(codes[at], code.alignment, &code.bytes, &code.relocations)
                .with_context(name)?;
        }
        module.finalize_definitions()?;
        let blocks = (0..model.codes.len())
            .map(|at| {
                (model.codes[at].kind == CodeKind::Block).then(|| {
                    let address = module.get_finalized_function(codes[at]);
                    // SAFETY: a block takes the context and the object and gives a word; see `code_signature`.
                    unsafe { std::mem::transmute::<*const u8, Block>(address) }
                })
            })
            .collect();
        Ok(CompiledModel {
            model: model.clone(),
            offsets: Arc::new(offsets(model)),
            blocks,
            _module: module,
            _tables: tables,
        })
    }

    /// Runs one trace of an object's do-od block.
    pub(super) fn run(&self, context: &mut JitContext, block: CodeId, object: ObjectId) {
        if let Some(function) = self.blocks[block.0 as usize] {
            function(context, object.reference());
        }
    }
}

/// A module for this machine, without functions.
fn module() -> anyhow::Result<JITModule> {
    let mut flags = settings::builder();
    flags.set("opt_level", "speed")?;
    flags.set("is_pic", "false")?;
    let isa =
        cranelift_native::builder().map_err(|reason| anyhow!("no native code here: {reason}"))?;
    let isa = isa.finish(settings::Flags::new(flags))?;
    let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
    for function in functions() {
        builder.symbol(function.name, function.address);
    }
    Ok(JITModule::new(builder))
}

/// Blocks, and what they call, as instructions: large models have much that nobody calls.
fn emit_all(
    model: &Model,
    module: &mut JITModule,
    codes: &[FuncId],
    tables: &mut Tables,
) -> anyhow::Result<Vec<(CodeId, Function)>> {
    let convention = module.isa().default_call_conv();
    let mut runtime = HashMap::new();
    for function in functions() {
        let signature = signature(function.words + 1, convention);
        let id = module.declare_function(function.name, Linkage::Import, &signature)?;
        runtime.insert(function.name, id);
    }
    let blocking = MayBeDisabled::new(model);
    let mut frontend = FunctionBuilderContext::new();
    let blocks = model.codes.iter().zip(0..);
    let blocks = blocks.filter(|(code, _)| code.kind == CodeKind::Block);
    let mut called: Vec<CodeId> = blocks.map(|(_, at)| CodeId(at)).collect();
    let mut is_emitted = vec![false; model.codes.len()];
    let mut functions = Vec::new();
    while let Some(id) = called.pop() {
        if std::mem::replace(&mut is_emitted[id.0 as usize], true) {
            continue;
        }
        let mut function = Function::new();
        function.signature = code_signature(model, id, convention);
        let builder = FunctionBuilder::new(&mut function, &mut frontend);
        let shared = Shared {
            model,
            blocking: &blocking,
            module,
            runtime: &runtime,
            codes,
            called: &mut called,
            tables,
        };
        Emitter::emit(shared, builder, id);
        functions.push((id, function));
    }
    Ok(functions)
}

/// Instructions to machine code, in the same order.
fn compile_all(
    isa: &dyn TargetIsa,
    functions: &[(CodeId, Function)],
    codes: &[FuncId],
    threads: usize,
) -> Vec<anyhow::Result<MachineCode>> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(functions.len()));
    let compile_some = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((id, function)) = functions.get(at) else {
                break;
            };
            let compiled = compile(isa, function, codes[id.0 as usize]);
            results
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((at, compiled));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(compile_some);
        }
        compile_some();
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, compiled)| compiled).collect()
}

fn compile(isa: &dyn TargetIsa, function: &Function, id: FuncId) -> anyhow::Result<MachineCode> {
    let mut context = Context::for_function(function.clone());
    let compiled = context.compile(isa, &mut ControlPlane::default());
    let compiled = compiled.map_err(|error| anyhow!("{}", error.inner))?;
    let (alignment, bytes) = (
        u64::from(compiled.buffer.alignment),
        compiled.code_buffer().to_vec(),
    );
    let relocations = compiled.buffer.relocs().to_vec();
    let relocation = |one| ModuleReloc::from_mach_reloc(one, &context.func, id);
    Ok(MachineCode {
        bytes,
        alignment,
        relocations: relocations.iter().map(relocation).collect(),
    })
}

fn offsets(model: &Model) -> Vec<u32> {
    let mut offsets = Vec::with_capacity(model.objects.len());
    let mut at = 0;
    for object in &model.objects {
        offsets.push(at);
        at += model.classes[object.class.0 as usize].size;
    }
    offsets
}

fn signature(words: usize, convention: CallConv) -> Signature {
    let mut signature = Signature::new(convention);
    signature
        .params
        .extend(std::iter::repeat_n(AbiParam::new(types::I64), words));
    signature.returns.push(AbiParam::new(types::I64));
    signature
}

/// Context, object, parameters.
fn code_signature(model: &Model, id: CodeId, convention: CallConv) -> Signature {
    signature(2 + model.code(id).params, convention)
}

fn declare_codes(model: &Model, module: &mut JITModule) -> anyhow::Result<Vec<FuncId>> {
    let mut ids = Vec::new();
    for at in 0..model.codes.len() {
        let signature = code_signature(model, CodeId(at as u32), module.isa().default_call_conv());
        ids.push(module.declare_function(&format!("code_{at}"), Linkage::Local, &signature)?);
    }
    Ok(ids)
}
