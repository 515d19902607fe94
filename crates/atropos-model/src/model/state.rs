//! A state: flat bytes per object, shared between states that differ in few objects. A state of n objects is a short
//! list of groups; changing one object copies its group and that list. The hash is a sum over objects, so it is
//! kept up to date by the changed objects alone; equality is exact and stops at shared parts.

use super::lowered::ObjectId;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use atropos_protocol::hash::{FNV_1A, WEYL_STEP, spread};

const GROUP: usize = 32;

#[derive(Clone, Debug)]
pub struct State {
    #[allow(clippy::type_complexity, reason = "a tree of fixed depth")]
    groups: Arc<Vec<Arc<Vec<Arc<[u8]>>>>>,
    hash: u64,
}

impl State {
    pub fn new(objects: Vec<Vec<u8>>) -> State {
        let mut hash = 0u64;
        let mut groups: Vec<Arc<Vec<Arc<[u8]>>>> = Vec::new();
        let mut group: Vec<Arc<[u8]>> = Vec::new();
        for (at, bytes) in objects.into_iter().enumerate() {
            hash = hash.wrapping_add(hash_object(at, &bytes));
            group.push(bytes.into());
            if group.len() == GROUP {
                groups.push(Arc::new(std::mem::take(&mut group)));
            }
        }
        if !group.is_empty() {
            groups.push(Arc::new(group));
        }
        State {
            groups: Arc::new(groups),
            hash,
        }
    }

    pub fn object(&self, object: ObjectId) -> &[u8] {
        &self.groups[object.index() / GROUP][object.index() % GROUP]
    }

    /// The same with its owners.
    pub fn shared_object(&self, object: ObjectId) -> &Arc<[u8]> {
        &self.groups[object.index() / GROUP][object.index() % GROUP]
    }

    pub fn fingerprint(&self) -> u64 {
        self.hash
    }

    /// Replaces the bytes of one object.
    pub fn set_object(&mut self, object: ObjectId, bytes: &[u8]) {
        let old = self.object(object);
        if old == bytes {
            return;
        }
        let at = object.index();
        self.hash = self
            .hash
            .wrapping_sub(hash_object(at, old))
            .wrapping_add(hash_object(at, bytes));
        let groups = Arc::make_mut(&mut self.groups);
        let group = Arc::make_mut(&mut groups[at / GROUP]);
        group[at % GROUP] = bytes.into();
    }

    /// Calls `changed` for every object whose bytes may differ in `other`; shared parts are not looked at.
    pub fn differences(&self, other: &State, mut changed: impl FnMut(ObjectId, &[u8])) {
        if Arc::ptr_eq(&self.groups, &other.groups) {
            return;
        }
        for (number, (mine, theirs)) in self.groups.iter().zip(other.groups.iter()).enumerate() {
            if Arc::ptr_eq(mine, theirs) {
                continue;
            }
            for (at, (mine, theirs)) in mine.iter().zip(theirs.iter()).enumerate() {
                if !Arc::ptr_eq(mine, theirs) && mine != theirs {
                    changed(ObjectId((number * GROUP + at) as u32), theirs);
                }
            }
        }
    }
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        self.hash == other.hash
            && (Arc::ptr_eq(&self.groups, &other.groups)
                || self
                    .groups
                    .iter()
                    .zip(other.groups.iter())
                    .all(|(mine, theirs)| same_group(mine, theirs)))
    }
}

fn same_group(mine: &Arc<Vec<Arc<[u8]>>>, theirs: &Arc<Vec<Arc<[u8]>>>) -> bool {
    Arc::ptr_eq(mine, theirs)
        || mine
            .iter()
            .zip(theirs.iter())
            .all(|(mine, theirs)| Arc::ptr_eq(mine, theirs) || mine == theirs)
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// Orders by content, with the hash first: the same in every run.
impl Ord for State {
    fn cmp(&self, other: &State) -> std::cmp::Ordering {
        self.hash.cmp(&other.hash).then_with(|| {
            if self == other {
                std::cmp::Ordering::Equal
            } else {
                self.groups.cmp(&other.groups)
            }
        })
    }
}

impl PartialOrd for State {
    fn partial_cmp(&self, other: &State) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// FNV-1a over words with a final mix; the object's number makes equal bytes in different objects differ.
fn hash_object(object: usize, bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut hash = FNV_1A ^ (object as u64).wrapping_mul(WEYL_STEP);
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(PRIME);
        hash ^= hash >> 29;
    }
    for byte in chunks.remainder() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(PRIME);
    }
    spread(hash)
}
