//! What may be shared with whom: one table.
//!
//! What: the eight classes of field, the four profiles, and what each does with each. Why: one place to read, to change and to
//! document. Not here: which field has which class (`rows`), applying the table (`censor`).

named!(
    /// What a field tells about.
    Class {
        /// A chat, a mail folder, a program that messages come through.
        Channel = "channel",
        /// Where the owner was.
        Location = "location",
        /// The owner's body: load, state, heart-rate variability, sleep.
        Health = "health",
        /// Sentences: a trace's document, and what the owner calls an event or an act.
        Text = "text",
        /// A telephone number.
        Phone = "phone",
        /// An amount.
        Money = "money",
        Person = "person",
        /// A merchant, an account, what was bought.
        Merchant = "merchant",
    }
);

named!(
    /// Who an export is for.
    Profile {
        /// The owner: everything, and it can be imported.
        Raw = "raw",
        /// A friend: what happened on which day, amounts and places roughly.
        Friend = "share-with-friend",
        /// A clinician: how the body was, and when.
        Clinician = "share-with-clinician",
        /// Anybody: how many of what on which day.
        Minimal = "minimal",
    }
);

named!(
    /// What a profile does with a class.
    Action {
        /// As it is.
        Keep = "keep",
        /// Less exactly: an amount to the next 500, a place to a cell of 10 km. A field without a rough form is removed.
        Coarsen = "coarsen",
        /// Not at all.
        Remove = "remove",
    }
);

/// What a profile does. The fields of all exports are written by one of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileRules {
    /// With each class, in the order of [`Class::ALL`].
    pub classes: [Action; 8],
    /// Whether times are exact; else they are days (UTC).
    pub exact_times: bool,
    /// Whether the keys are there by which this installation knows things; they can be held against another export.
    pub keys: bool,
    /// Whether there are rows; else only how many of which type on which day.
    pub rows: bool,
}

use Action::{Coarsen, Keep, Remove};

const RAW: ProfileRules = ProfileRules {
    classes: [Keep; 8],
    exact_times: true,
    keys: true,
    rows: true,
};

const FRIEND: ProfileRules = ProfileRules {
    //        channel location health text   phone   money    person  merchant
    classes: [Remove, Coarsen, Remove, Remove, Remove, Coarsen, Remove, Remove],
    exact_times: false,
    keys: false,
    rows: true,
};

const CLINICIAN: ProfileRules = ProfileRules {
    classes: [Remove, Remove, Keep, Remove, Remove, Remove, Remove, Remove],
    exact_times: true,
    keys: false,
    rows: true,
};

const MINIMAL: ProfileRules = ProfileRules {
    classes: [Remove; 8],
    exact_times: false,
    keys: false,
    rows: false,
};

impl Profile {
    /// What it does.
    pub fn table(self) -> &'static ProfileRules {
        match self {
            Profile::Raw => &RAW,
            Profile::Friend => &FRIEND,
            Profile::Clinician => &CLINICIAN,
            Profile::Minimal => &MINIMAL,
        }
    }
}

impl ProfileRules {
    /// What it does with a class.
    pub fn action(&self, class: Class) -> Action {
        let place = Class::ALL.iter().position(|one| *one == class);
        // Every class is in the list, and the lists are of one length.
        place
            .and_then(|place| self.classes.get(place).copied())
            .unwrap_or(Remove)
    }
}
