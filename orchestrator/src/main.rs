//! The binary `aura`.

fn main() {}
