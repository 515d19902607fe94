//! One module for each concurrency operator, named after its code, and a few more: one whose mutants end the process, and
//! mistakes that Rust's types forbid and only the runtime can make.

pub mod ask;
pub mod astk;
pub mod ean;
pub mod eelo;
pub mod elpa;
pub mod esp;
pub mod excr;
pub mod fatal;
pub mod lazy;
pub mod lone;
pub mod mbr;
pub mod msf;
pub mod msp;
pub mod mxc;
pub mod mxt;
pub mod named;
pub mod rcxc;
pub mod rfu;
pub mod rjs;
pub mod rna;
pub mod rsb;
pub mod rsk;
pub mod rstk;
pub mod rtxc;
pub mod rvk;
pub mod rxo;
pub mod shcr;
pub mod skcr;
pub mod spcr;
