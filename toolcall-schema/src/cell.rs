//! Places as cells of 200 m.
//!
//! What: [`GridCell`], the only form in which a place leaves the agent that heard of it. Why: where somebody lives must not stand on a
//! disk to the metre. Not here: travel times (`agents::calendar`), which forget the point itself after an hour.

use serde::{Deserialize, Serialize};

/// The side of a cell in metres.
const SIDE_M: f64 = 200.0;
/// Metres of one degree of latitude (a sphere of 6371 km).
const DEGREE_M: f64 = 111_194.926_644_558_73;

/// A cell of a grid with sides of 200 m: rows from the equator, columns from Greenwich, in each row as many as fit its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridCell {
    /// Northwards, negative in the south.
    pub row: i32,
    /// Eastwards, negative in the west.
    pub column: i32,
}

impl GridCell {
    /// The cell of a point in degrees; `None` when it is none on earth.
    pub fn of(lat: f64, lon: f64) -> Option<Self> {
        if !(-90.0..=90.0).contains(&lat) || !(-180.0..=180.0).contains(&lon) {
            return None;
        }
        let row = whole(lat * DEGREE_M / SIDE_M)?;
        let column = whole(lon * column_degree(row) / SIDE_M)?;
        Some(Self { row, column })
    }

    /// The middle of the cell in degrees (latitude, longitude), to four decimals (11 m), so that it is the same text everywhere.
    pub fn middle(self) -> (f64, f64) {
        let lat = (f64::from(self.row) + 0.5) * SIDE_M / DEGREE_M;
        let lon = (f64::from(self.column) + 0.5) * SIDE_M / column_degree(self.row);
        let four = |x: f64| (x * 10_000.0).round() / 10_000.0;
        (four(lat.clamp(-90.0, 90.0)), four(lon.clamp(-180.0, 180.0)))
    }

    /// The cell that holds this one in a grid `times` as wide; 0 counts as 1.
    #[must_use]
    pub fn coarser(self, times: i32) -> Self {
        let times = times.max(1);
        let snap = |n: i32| n.div_euclid(times) * times;
        Self {
            row: snap(self.row),
            column: snap(self.column),
        }
    }

    /// Its key: `pl_<row>_<column>`.
    pub fn key(self) -> String {
        format!("pl_{}_{}", self.row, self.column)
    }
}

/// Metres of one degree of longitude in the middle of a row; at least one, so that the poles have a column.
fn column_degree(row: i32) -> f64 {
    let lat = (f64::from(row) + 0.5) * SIDE_M / DEGREE_M;
    (DEGREE_M * lat.to_radians().cos()).max(1.0)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "checked against the range of i32 before"
)]
fn whole(x: f64) -> Option<i32> {
    let floor = x.floor();
    (f64::from(i32::MIN)..=f64::from(i32::MAX))
        .contains(&floor)
        .then_some(floor as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Metres between two points, on the sphere of [`DEGREE_M`], for short ways.
    fn metres(a: (f64, f64), b: (f64, f64)) -> f64 {
        let north = (a.0 - b.0) * DEGREE_M;
        let east = (a.1 - b.1) * DEGREE_M * a.0.to_radians().cos();
        north.hypot(east)
    }

    #[test]
    fn a_point_is_never_further_from_its_cells_middle_than_half_a_diagonal() {
        // Half the diagonal of 200 m is 141.4 m; 11 m are lost by rounding, and a row is straight only in its middle.
        for (lat, lon) in [
            (0.0, 0.0),
            (12.9716, 77.5946),
            (-33.8688, 151.2093),
            (52.52, 13.405),
            (69.6492, 18.9553),
            (-0.000_01, -0.000_01),
        ] {
            let cell = GridCell::of(lat, lon).unwrap();
            let off = metres(cell.middle(), (lat, lon));
            assert!(off < 155.0, "{lat} {lon}: {off}");
        }
    }

    #[test]
    fn cells_are_200_m_wide_and_high() {
        // 12.9716° N: one degree of longitude is 111194.9 m × cos 12.97° = 108357 m, so 0.0019 degrees are 206 m.
        let here = GridCell::of(12.9716, 77.5946).unwrap();
        let east = GridCell::of(12.9716, 77.5946 + 0.0019).unwrap();
        let north = GridCell::of(12.9716 + 0.0018, 77.5946).unwrap();
        assert!(
            (1..=2).contains(&(east.column - here.column)),
            "{here:?} {east:?}"
        );
        assert_eq!(north.row - here.row, 1);
        assert_eq!(
            GridCell::of(0.0001, 0.0001).unwrap(),
            GridCell { row: 0, column: 0 }
        );
        assert_eq!(
            GridCell::of(-0.0001, -0.0001).unwrap(),
            GridCell { row: -1, column: -1 }
        );
    }

    #[test]
    fn what_is_no_place_has_no_cell() {
        for (lat, lon) in [
            (90.1, 0.0),
            (0.0, 180.5),
            (f64::NAN, 0.0),
            (0.0, f64::INFINITY),
            (-91.0, 0.0),
        ] {
            assert_eq!(GridCell::of(lat, lon), None);
        }
        assert!(GridCell::of(90.0, 180.0).is_some() && GridCell::of(-90.0, -180.0).is_some());
    }

    #[test]
    fn coarser_cells_hold_finer_ones() {
        assert_eq!(
            GridCell { row: 7, column: -1 }.coarser(5),
            GridCell { row: 5, column: -5 }
        );
        assert_eq!(
            GridCell { row: 7, column: -1 }.coarser(0),
            GridCell { row: 7, column: -1 }
        );
    }
}
