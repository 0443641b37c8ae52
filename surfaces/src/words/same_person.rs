//! What is said of two senders who are one person.
//!
//! What: the form that looks for the other, what saying so does, the rule read back, and what was done. Why: who is one person is told before it is said,
//! and where it is taken back. Not here: markup (`web::same_person`).

/// Opens the form.
pub const SAME_PERSON: &str = "The same person as …";
/// What saying so does.
pub const SAME_PERSON_SAYS: &str = "Find their other address, or their account in a chat. From then on both count as one person: in every count, in \
     what I learned, and in what you said of either. Take it back at any time, and they are apart again.";
/// Looks for them.
pub const SAME_PERSON_FIND: &str = "Find by name";
/// On one who was found.
pub const SAME_PERSON_DO: &str = "The same person";
/// No name was typed.
pub const SAME_PERSON_NO_NAME: &str = "Type a part of their name first.";
/// Heading of those whom the owner put together.
pub const SAME_PEOPLE: &str = "The same person, as you said";
/// Takes it back.
pub const TWO_PEOPLE_DO: &str = "They are two people";
/// Comms does not say who.
pub const SAME_PEOPLE_NOT_READ: &str =
    "Comms is busy, so I cannot say whom you put together. I look again in a moment.";

/// The rule, read back. After it both have one name more often than not.
pub fn is_same_person(person: &str, other: &str) -> String {
    if person == other {
        format!("You said that two senders are one person, {person}.")
    } else {
        format!("You said that {other} is the same person as {person}.")
    }
}

/// It was said.
pub fn one_person_now(person: &str, other: &str) -> String {
    if person == other {
        format!("I take two senders as one person, {person}.")
    } else {
        format!("I take {person} and {other} as one person.")
    }
}

/// It was said, and is over.
pub fn was_one_person(person: &str, other: &str) -> String {
    if person == other {
        format!("I took two senders called {person} as one person.")
    } else {
        format!("I took {person} and {other} as one person.")
    }
}

/// It was taken back.
pub fn two_people_again(person: &str, other: &str) -> String {
    if person == other {
        format!("Two senders called {person} are two people again.")
    } else {
        format!("{person} and {other} are two people again.")
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
