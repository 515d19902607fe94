//! The checked, lowered model: types with flat layouts, code, a fixed set of objects, labels and states.
//! Everything after checking works on this alone; the text is needed only to show places.

pub mod arithmetic;
pub mod code;
pub mod error;
pub mod label;
pub mod lowered;
pub mod state;
pub mod types;
pub mod value;
pub mod visit;

pub use code::{
    BoundVar, Code, CodeId, CodeKind, Domain, Expr, ExprKind, ModelPointId, Stmt, StmtKind, Target,
    TargetBase,
};
pub use error::{ErrorKind, ExecError};
pub use label::{Label, Observation};
pub use lowered::{Attr, Class, ClassId, Enumeration, Model, Object, ObjectId};
pub use state::State;
pub use types::{Ty, TyId, TypeTable};
pub use value::Value;
