//! The hash tree over the records, as in RFC 6962, section 2.1.
//!
//! What: [`TreeFrontier`], which grows by one leaf in constant memory and knows the root; proofs that a leaf is in a tree and
//! that a tree begins with another, and their checks. Why: one signed root of 32 bytes stands for every record before it.
//! Pure. Not here: what a leaf holds (`record`), where the hashes are kept (`log`).
//!
//! A *node* (level, index) is the root of the 2^level leaves from index · 2^level on. Each is complete, and never changes
//! again, when its last leaf is pushed: [`TreeFrontier::push`] hands out the nodes that a leaf completes, and proofs are made of
//! them, so neither a root nor a proof reads more than a logarithmic number of hashes.

use sha2::{Digest as _, Sha256};

/// A SHA-256.
pub type Sha256Hash = [u8; 32];

/// The hash of a leaf: SHA-256(0x00 ‖ data).
pub(crate) fn leaf_hash(data: &[u8]) -> Sha256Hash {
    Sha256::new()
        .chain_update([0])
        .chain_update(data)
        .finalize()
        .into()
}

/// The hash of two nodes side by side: SHA-256(0x01 ‖ left ‖ right).
pub(crate) fn node_hash(left: &Sha256Hash, right: &Sha256Hash) -> Sha256Hash {
    Sha256::new()
        .chain_update([1])
        .chain_update(left)
        .chain_update(right)
        .finalize()
        .into()
}

/// The right edge of a growing tree: the roots of its greatest complete parts, from left to right.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TreeFrontier {
    size: u64,
    /// One for each 1 in the binary form of `size`, the greatest first.
    peaks: Vec<Sha256Hash>,
}

impl TreeFrontier {
    /// The edge of a tree of `size` leaves, from its nodes.
    ///
    /// # Errors
    /// What `node` returns.
    pub fn load<E>(size: u64, mut node: impl FnMut(u32, u64) -> Result<Sha256Hash, E>) -> Result<Self, E> {
        let levels = (0..u64::BITS).rev().filter(|level| size >> level & 1 == 1);
        let peaks = levels.map(|level| node(level, (size >> level) - 1));
        Ok(Self {
            size,
            peaks: peaks.collect::<Result<_, _>>()?,
        })
    }

    /// How many leaves the tree has.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Adds a leaf and returns the nodes it completes, from level 0, the leaf's own hash, upwards.
    pub fn push(&mut self, leaf: Sha256Hash) -> Vec<Sha256Hash> {
        let mut nodes = vec![leaf];
        let mut node = leaf;
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.peaks.pop() {
                node = node_hash(&left, &node);
                nodes.push(node);
            }
        }
        self.peaks.push(node);
        self.size += 1;
        nodes
    }

    /// The root; of no leaves: the SHA-256 of nothing.
    pub fn root(&self) -> Sha256Hash {
        let mut peaks = self.peaks.iter().rev();
        let Some(last) = peaks.next() else {
            return Sha256::digest([]).into();
        };
        peaks.fold(*last, |right, left| node_hash(left, &right))
    }
}

/// The root of the `len` leaves from `start` on, a part that RFC 6962 splits a tree into: `start` is a multiple of a power
/// of two that is not below `len`.
fn part<E>(
    start: u64,
    len: u64,
    node: &mut impl FnMut(u32, u64) -> Result<Sha256Hash, E>,
) -> Result<Sha256Hash, E> {
    if len.is_power_of_two() {
        let level = len.trailing_zeros();
        return node(level, start >> level);
    }
    let left = split(len);
    Ok(node_hash(
        &part(start, left, node)?,
        &part(start + left, len - left, node)?,
    ))
}

/// The greatest power of two below `len`, which is at least 2.
fn split(len: u64) -> u64 {
    1 << (u64::BITS - 1 - (len - 1).leading_zeros())
}

/// The proof that leaf `index` (from 0) is in the tree of `size` leaves: the hashes beside its way to the root, from below.
/// Empty when there is no such leaf.
///
/// # Errors
/// What `node` returns.
pub(crate) fn inclusion<E>(
    index: u64,
    size: u64,
    mut node: impl FnMut(u32, u64) -> Result<Sha256Hash, E>,
) -> Result<Vec<Sha256Hash>, E> {
    let mut path = Vec::new();
    let (mut start, mut len) = (0, size);
    while index < size && len > 1 {
        let left = split(len);
        if index - start < left {
            path.push(part(start + left, len - left, &mut node)?);
            len = left;
        } else {
            path.push(part(start, left, &mut node)?);
            (start, len) = (start + left, len - left);
        }
    }
    path.reverse();
    Ok(path)
}

/// Whether a proof leads from leaf `index` of a tree of `size` leaves to its root.
pub(crate) fn is_included(
    leaf: &Sha256Hash,
    index: u64,
    size: u64,
    path: &[Sha256Hash],
    root: &Sha256Hash,
) -> bool {
    if index >= size {
        return false;
    }
    // RFC 9162, 2.1.3.2: the way of the leaf, and of the last leaf, towards the root.
    let (mut at, mut last) = (index, size - 1);
    let mut hash = *leaf;
    for beside in path {
        if last == 0 {
            return false;
        }
        if at & 1 == 1 || at == last {
            hash = node_hash(beside, &hash);
            while at & 1 == 0 && at != 0 {
                (at, last) = (at >> 1, last >> 1);
            }
        } else {
            hash = node_hash(&hash, beside);
        }
        (at, last) = (at >> 1, last >> 1);
    }
    last == 0 && hash == *root
}

/// The proof that a tree of `size` leaves begins with the tree of `first` leaves. Empty when there is nothing to prove:
/// `first` is 0, `size` or more.
///
/// # Errors
/// What `node` returns.
pub fn consistency<E>(
    first: u64,
    size: u64,
    mut node: impl FnMut(u32, u64) -> Result<Sha256Hash, E>,
) -> Result<Vec<Sha256Hash>, E> {
    let mut path = Vec::new();
    if first == 0 || first >= size {
        return Ok(path);
    }
    let (mut start, mut len) = (0, size);
    // Until what is left of the first tree is one whole part of the second.
    while start + len != first {
        let left = split(len);
        if first - start <= left {
            path.push(part(start + left, len - left, &mut node)?);
            len = left;
        } else {
            path.push(part(start, left, &mut node)?);
            (start, len) = (start + left, len - left);
        }
    }
    // The first tree's root is known to who checks, when that part is the whole of it.
    if start != 0 {
        path.push(part(start, len, &mut node)?);
    }
    path.reverse();
    Ok(path)
}

/// Whether a proof shows that the tree of `size` leaves with root `root` begins with that of `first` leaves with root
/// `first_root`. A tree begins with itself, and with the empty one.
pub fn is_consistent(
    first: u64,
    first_root: &Sha256Hash,
    size: u64,
    root: &Sha256Hash,
    path: &[Sha256Hash],
) -> bool {
    if first > size {
        return false;
    }
    if first == size {
        return path.is_empty() && first_root == root;
    }
    if first == 0 {
        return path.is_empty() && *first_root == TreeFrontier::default().root();
    }
    // RFC 9162, 2.1.4.2.
    let mut rest = path.iter();
    let from = if first.is_power_of_two() {
        Some(first_root)
    } else {
        rest.next()
    };
    let Some(from) = from else { return false };
    let (mut at, mut last) = (first - 1, size - 1);
    let whole = at.trailing_ones();
    (at, last) = (at >> whole, last >> whole);
    let (mut old, mut new) = (*from, *from);
    for beside in rest {
        if last == 0 {
            return false;
        }
        if at & 1 == 1 || at == last {
            old = node_hash(beside, &old);
            new = node_hash(beside, &new);
            while at & 1 == 0 && at != 0 {
                (at, last) = (at >> 1, last >> 1);
            }
        } else {
            new = node_hash(&new, beside);
        }
        (at, last) = (at >> 1, last >> 1);
    }
    last == 0 && old == *first_root && new == *root
}

#[cfg(test)]
mod tests;
