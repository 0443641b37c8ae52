//! Numbers that look random and are the same for the same seed.

/// A number that looks like any other (`SplitMix64`: Steele, Lea, Flood, 2014), the same for the same one.
pub(crate) fn mixed(n: u64) -> u64 {
    let mut z = n.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
