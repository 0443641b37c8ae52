//! The last of something that takes long to work out.
//!
//! What: [`LastResult`], one value with what it was worked out from. Why: what is looked at again and again and has not changed is worked out once. Not here: what it
//! depends on (whoever keeps one says so in its key).

use std::sync::{Arc, Mutex, PoisonError};

/// One value, as long as its key is the one that is asked for.
#[derive(Debug)]
pub struct LastResult<K, V>(Mutex<Option<(K, Arc<V>)>>);

impl<K, V> Default for LastResult<K, V> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<K: PartialEq, V> LastResult<K, V> {
    /// The value that was worked out of just this; `None`: another was, or none.
    pub fn of(&self, key: &K) -> Option<Arc<V>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref()
            .filter(|(known, _)| known == key)
            .map(|(_, value)| Arc::clone(value))
    }

    /// The value that was worked out of just this, before or now. After a failure the one before is still kept.
    ///
    /// # Errors
    /// What `work` fails with.
    pub fn get_or_try_init<E>(&self, key: K, work: impl FnOnce() -> Result<V, E>) -> Result<Arc<V>, E> {
        match self.of(&key) {
            Some(value) => Ok(value),
            None => Ok(self.keep(key, work()?)),
        }
    }

    /// Keeps a value in place of the one before.
    pub fn keep(&self, key: K, value: V) -> Arc<V> {
        let value = Arc::new(value);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some((key, Arc::clone(&value)));
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_is_given_for_its_own_key_alone() {
        let last = LastResult::default();
        assert_eq!(last.of(&1), None);
        last.keep(1, "one");
        assert_eq!(last.of(&1).as_deref(), Some(&"one"));
        last.keep(2, "two");
        assert_eq!(
            (last.of(&1), last.of(&2).as_deref().copied()),
            (None, Some("two"))
        );
        assert_eq!(last.get_or_try_init(3, || Err("no store")), Err("no store"));
        let known = last.get_or_try_init(2, || Err("not asked"));
        assert_eq!(known.as_deref(), Ok(&"two"));
        let new = last.get_or_try_init(3, || Ok::<_, &str>("three"));
        assert_eq!((new.as_deref(), last.of(&2)), (Ok(&"three"), None));
    }
}
