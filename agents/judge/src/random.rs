//! Chance that is the same everywhere.
//!
//! What: [`MmixRandom`]. Why: resampling, typing and laying out a year come to the same on every machine. Not here: what is drawn.

/// Numbers as Knuth's MMIX makes them; the upper half is used.
pub(crate) struct MmixRandom(u64);

impl MmixRandom {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `sides`; 0 when there is none.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides.max(1)
    }
}
