//! What was held back again and again, once.
//!
//! What: [`in_runs`]. Why: *Now*, *Every day* and *Agenda* write one silence about one thing once, whatever came between. Not here: what makes two of them one (the
//! pages' own lines), markup.

/// Items as runs, each where its first stands: those of one key are one, those without a key stand alone.
pub(crate) fn in_runs<'a, T, K: PartialEq>(
    items: impl IntoIterator<Item = &'a T>,
    key_of: impl Fn(&T) -> Option<K>,
) -> Vec<Vec<&'a T>> {
    let mut runs: Vec<(Option<K>, Vec<&T>)> = Vec::new();
    for item in items {
        let key = key_of(item);
        match runs.iter_mut().find(|(of, _)| key.is_some() && *of == key) {
            Some((_, run)) => run.push(item),
            None => runs.push((key, vec![item])),
        }
    }
    runs.into_iter().map(|(_, run)| run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_key_is_one_run_where_it_was_first_and_no_key_is_alone() {
        let items = [(1, "a"), (2, ""), (3, "b"), (4, "a"), (5, "")];
        let runs = in_runs(&items, |(_, key)| (!key.is_empty()).then_some(*key));
        let numbers: Vec<Vec<i32>> = runs
            .iter()
            .map(|run| run.iter().map(|(number, _)| *number).collect())
            .collect();
        assert_eq!(numbers, [vec![1, 4], vec![2], vec![3], vec![5]]);
    }
}
