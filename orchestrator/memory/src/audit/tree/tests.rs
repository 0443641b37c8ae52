//! The tree against the published vectors, and against the definition word for word.

use super::*;
use proptest::prelude::*;
use std::convert::Infallible;

/// The eight leaves that the tests of the Certificate Transparency reference implementation use.
const LEAVES: [&[u8]; 8] = [
    b"",
    &[0x00],
    &[0x10],
    &[0x20, 0x21],
    &[0x30, 0x31],
    &[0x40, 0x41, 0x42, 0x43],
    &[0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57],
    &[
        0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f,
    ],
];

/// Their published roots, of the first 0 to 8 leaves.
const ROOTS: [&str; 9] = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

const A: &str = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7";
const B: &str = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e";
const C: &str = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4";
const D: &str = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b";
const E: &str = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0";
const F: &str = "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a";

fn hash(hex: &str) -> Sha256Hash {
    let bytes = data_encoding::HEXLOWER.decode(hex.as_bytes()).unwrap();
    bytes.try_into().unwrap()
}

/// A tree as the log keeps it: each leaf with the nodes it completes.
#[derive(Default)]
struct Kept {
    frontier: TreeFrontier,
    nodes: Vec<Vec<Sha256Hash>>,
}

impl Kept {
    fn of<'a>(leaves: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut kept = Self::default();
        for leaf in leaves {
            kept.nodes.push(kept.frontier.push(leaf_hash(leaf)));
        }
        kept
    }

    fn node(&self) -> impl FnMut(u32, u64) -> Result<Sha256Hash, Infallible> {
        |level, index| Ok(self.nodes[usize::try_from(((index + 1) << level) - 1).unwrap()][level as usize])
    }

    fn root_of(&self, size: u64) -> Sha256Hash {
        TreeFrontier::load(size, self.node()).unwrap().root()
    }
}

/// MTH of RFC 6962, 2.1, word for word.
fn mth(leaves: &[&[u8]]) -> Sha256Hash {
    match leaves {
        [] => Sha256::digest([]).into(),
        [leaf] => leaf_hash(leaf),
        _ => {
            let mut k = 1;
            while k * 2 < leaves.len() {
                k *= 2;
            }
            node_hash(&mth(&leaves[..k]), &mth(&leaves[k..]))
        }
    }
}

#[test]
fn published_roots_come_out() {
    for (size, root) in ROOTS.iter().enumerate() {
        assert_eq!(
            Kept::of(LEAVES[..size].iter().copied()).frontier.root(),
            hash(root),
            "{size}"
        );
    }
}

#[test]
fn published_inclusion_proofs_come_out_and_lead_to_the_root() {
    let kept = Kept::of(LEAVES);
    // (leaf from 1, size, proof)
    for (leaf, size, wanted) in [
        (1, 1, vec![]),
        (1, 8, vec![A, B, C]),
        (6, 8, vec![D, E, ROOTS[4]]),
        (3, 3, vec![ROOTS[2]]),
        (2, 5, vec![ROOTS[1], B, D]),
    ] {
        let wanted: Vec<Sha256Hash> = wanted.into_iter().map(hash).collect();
        let path = inclusion(leaf - 1, size, kept.node()).unwrap();
        assert_eq!(path, wanted, "{leaf} of {size}");
        let data = leaf_hash(LEAVES[usize::try_from(leaf).unwrap() - 1]);
        let root = hash(ROOTS[usize::try_from(size).unwrap()]);
        assert!(
            is_included(&data, leaf - 1, size, &path, &root),
            "{leaf} of {size}"
        );
    }
}

#[test]
fn published_consistency_proofs_come_out_and_hold() {
    let kept = Kept::of(LEAVES);
    for (first, size, wanted) in [
        (1, 1, vec![]),
        (1, 8, vec![A, B, C]),
        (6, 8, vec![F, E, ROOTS[4]]),
        (2, 5, vec![B, D]),
    ] {
        let wanted: Vec<Sha256Hash> = wanted.into_iter().map(hash).collect();
        let path = consistency(first, size, kept.node()).unwrap();
        assert_eq!(path, wanted, "{first} in {size}");
        let root = |size: u64| hash(ROOTS[usize::try_from(size).unwrap()]);
        assert!(
            is_consistent(first, &root(first), size, &root(size), &path),
            "{first} in {size}"
        );
    }
}

#[test]
fn a_leaf_is_not_a_node() {
    // Without the prefixes these two trees would have one root.
    let two = Kept::of([b"a".as_slice(), b"b".as_slice()]);
    let one = [leaf_hash(b"a"), leaf_hash(b"b")].concat();
    assert_ne!(two.frontier.root(), Kept::of([one.as_slice()]).frontier.root());
}

#[test]
fn every_proof_of_every_small_tree_holds_and_no_other() {
    let leaves: Vec<Vec<u8>> = (0..33_u8).map(|n| vec![n]).collect();
    let slices: Vec<&[u8]> = leaves.iter().map(Vec::as_slice).collect();
    let kept = Kept::of(slices.iter().copied());
    for size in 0..=33_u64 {
        let root = kept.root_of(size);
        assert_eq!(root, mth(&slices[..usize::try_from(size).unwrap()]), "{size}");
        for index in 0..size {
            let path = inclusion(index, size, kept.node()).unwrap();
            for (other, leaf) in (0..).zip(&slices) {
                let holds = is_included(&leaf_hash(leaf), other, size, &path, &root);
                assert_eq!(holds, other == index, "{index} as {other} of {size}");
            }
            for (place, _) in path.iter().enumerate() {
                let mut short = path.clone();
                short.remove(place);
                assert!(!is_included(
                    &leaf_hash(slices[usize::try_from(index).unwrap()]),
                    index,
                    size,
                    &short,
                    &root
                ));
            }
        }
        for first in 0..=size {
            let path = consistency(first, size, kept.node()).unwrap();
            for other in 0..=size {
                let holds = is_consistent(other, &kept.root_of(other), size, &root, &path);
                // An empty proof is also right for the empty tree and for the whole.
                let trivial = path.is_empty() && (other == 0 || other == size);
                assert_eq!(holds, other == first || trivial, "{first} as {other} in {size}");
            }
        }
    }
}

proptest! {
    #[test]
    fn a_changed_leaf_changes_the_root_and_fails_both_proofs(size in 2..200_u64, at in 0..200_u64, first in 1..200_u64) {
        let (at, first) = (at % size, first % (size - 1) + 1);
        let leaves: Vec<[u8; 8]> = (0..size).map(u64::to_be_bytes).collect();
        let mut changed = leaves.clone();
        changed[usize::try_from(at).unwrap()][0] ^= 1;
        let old = Kept::of(leaves.iter().map(<[u8; 8]>::as_slice));
        let new = Kept::of(changed.iter().map(<[u8; 8]>::as_slice));
        prop_assert_ne!(old.frontier.root(), new.frontier.root());
        let path = inclusion(at, size, old.node()).unwrap();
        let leaf = leaf_hash(&leaves[usize::try_from(at).unwrap()]);
        prop_assert!(is_included(&leaf, at, size, &path, &old.frontier.root()));
        prop_assert!(!is_included(&leaf, at, size, &path, &new.frontier.root()));
        // A log that was rewritten behind a head does not go on from that head.
        let path = consistency(first, size, new.node()).unwrap();
        let went_on = is_consistent(first, &old.root_of(first), size, &new.frontier.root(), &path);
        prop_assert_eq!(went_on, at >= first);
    }
}
