//! Mails as clients write them.

mod heads;
mod zoned;
