//! A model to native code, once; all workers share it.

use super::blocking::MayBeDisabled;
use super::context::JitContext;
use super::emitter::{Emitter, Shared};
use super::runtime::functions;
use crate::model::{CodeId, CodeKind, Model, ObjectId};
use anyhow::{Context as _, anyhow};
use cranelift_codegen::ir::{AbiParam, Signature, types};
use cranelift_codegen::isa::CallConv;
use cranelift_codegen::settings::{self, Configurable as _};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module as _, default_libcall_names};
use std::collections::HashMap;
use std::sync::Arc;

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

impl CompiledModel {
    /// # Errors
    /// If the machine is not supported or code generation fails.
    pub fn new(model: &Arc<Model>) -> anyhow::Result<CompiledModel> {
        let mut flags = settings::builder();
        flags.set("opt_level", "speed")?;
        flags.set("is_pic", "false")?;
        let isa = cranelift_native::builder()
            .map_err(|reason| anyhow!("no native code here: {reason}"))?;
        let isa = isa.finish(settings::Flags::new(flags))?;
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        for function in functions() {
            builder.symbol(function.name, function.address);
        }
        let mut module = JITModule::new(builder);
        let mut runtime = HashMap::new();
        for function in functions() {
            let signature = signature(function.words + 1, module.isa().default_call_conv());
            let id = module.declare_function(function.name, Linkage::Import, &signature)?;
            runtime.insert(function.name, id);
        }
        let codes = declare_codes(model, &mut module)?;
        let mut tables = Tables::default();
        for objects in &model.instances {
            tables
                .references
                .push(objects.iter().map(|object| object.reference()).collect());
        }
        let blocking = MayBeDisabled::new(model);
        let mut frontend = FunctionBuilderContext::new();
        let mut context = module.make_context();
        for at in 0..model.codes.len() {
            let id = CodeId(at as u32);
            context.func.signature = code_signature(model, id, module.isa().default_call_conv());
            {
                let builder = FunctionBuilder::new(&mut context.func, &mut frontend);
                let shared = Shared {
                    model,
                    blocking: &blocking,
                    module: &mut module,
                    runtime: &runtime,
                    codes: &codes,
                    tables: &mut tables,
                };
                Emitter::emit(shared, builder, id);
            }
            module
                .define_function(codes[at], &mut context)
                .with_context(|| format!("can't compile `{}`", model.codes[at].name))?;
            module.clear_context(&mut context);
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
