//! What is said of two senders who are one person.
//!
//! What: the form that looks for the other, what saying so does, the rule read back, and what was done. Why: who is one person is told before it is said,
//! and where it is taken back. Not here: markup (`web::same_person`).

use crate::language::{Text, say};

/// Opens the form.
pub const SAME_PERSON: Text = Text("same-person-same-person");
/// What saying so does.
pub const SAME_PERSON_SAYS: Text = Text("same-person-same-person-says");
/// Looks for them.
pub const SAME_PERSON_FIND: Text = Text("same-person-same-person-find");
/// On one who was found.
pub const SAME_PERSON_DO: Text = Text("same-person-same-person-do");
/// No name was typed.
pub const SAME_PERSON_NO_NAME: Text = Text("same-person-same-person-no-name");
/// Heading of those whom the owner put together.
pub const SAME_PEOPLE: Text = Text("same-person-same-people");
/// Takes it back.
pub const TWO_PEOPLE_DO: Text = Text("same-person-two-people-do");
/// Comms does not say who.
pub const SAME_PEOPLE_NOT_READ: Text = Text("same-person-same-people-not-read");

/// The rule, read back. After it both have one name more often than not.
pub fn is_same_person(person: &str, other: &str) -> String {
    if person == other {
        say!("same-person-is-same-person-you-said-that", person)
    } else {
        say!("same-person-is-same-person-you-said-that-2", other, person)
    }
}

/// It was said.
pub fn one_person_now(person: &str, other: &str) -> String {
    if person == other {
        say!("same-person-one-person-now-i-take-two", person)
    } else {
        say!("same-person-one-person-now-i-take-and", person, other)
    }
}

/// It was said, and is over.
pub fn was_one_person(person: &str, other: &str) -> String {
    if person == other {
        say!("same-person-was-one-person-i-took-two", person)
    } else {
        say!("same-person-was-one-person-i-took-and", person, other)
    }
}

/// It was taken back.
pub fn two_people_again(person: &str, other: &str) -> String {
    if person == other {
        say!("same-person-two-people-again-two-senders-called", person)
    } else {
        say!("same-person-two-people-again-and-are-two", person, other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_one_name_are_said_once() {
        assert_eq!(
            one_person_now("Miriam", "M. Levi"),
            "I take Miriam and M. Levi as one person."
        );
        assert_eq!(
            one_person_now("Miriam", "Miriam"),
            "I take two senders as one person, Miriam."
        );
        assert_eq!(
            is_same_person("Miriam", "M. Levi"),
            "You said that M. Levi is the same person as Miriam."
        );
    }
}
