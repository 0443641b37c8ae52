//! The attention ledger again, naively.
//!
//! What: [`Accounts`]: tokens are things that lie somewhere, and a day is played from its first row whenever it is asked
//! about. Why: the machine counts; who moves things around cannot make the same mistake. Written from spec section 4 and
//! the pages 0010 and 0016 of `docs/adr`. Not here: what costs a token (`model`).

use chrono::NaiveDate;
use toolcall_schema::trace::LedgerView;

/// Something that happened to an account; a card is named by its tick.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Row {
    /// Lowered to so many.
    Ceiling(u8),
    Reserve(u64),
    /// A token that is held on this day already, from before it was opened anew.
    Carry(u64),
    Settle(u64),
    Release(u64),
    Refund(u64),
}

/// Where a token lies.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Free,
    Held(u64),
    Spent(u64),
}

#[derive(Debug, Clone)]
struct Account {
    day: NaiveDate,
    /// With so many tokens.
    opened: u8,
    rows: Vec<Row>,
}

impl Account {
    fn open(day: NaiveDate, opened: u8) -> Self {
        let rows = vec![];
        Self { day, opened, rows }
    }

    fn ceiling(&self) -> u8 {
        let lowered = self.rows.iter().rev().find_map(|row| match row {
            Row::Ceiling(ceiling) => Some(*ceiling),
            Row::Reserve(_) | Row::Carry(_) | Row::Settle(_) | Row::Release(_) | Row::Refund(_) => None,
        });
        lowered.unwrap_or(self.opened)
    }

    /// Where the tokens lie after every row so far.
    fn tokens(&self) -> Vec<Token> {
        let mut ceiling = usize::from(self.opened);
        let mut tokens = vec![Token::Free; ceiling];
        let change = |tokens: &mut Vec<Token>, from: Token, to: Token| {
            let found = tokens.iter_mut().find(|token| **token == from);
            *found.unwrap() = to;
        };
        for row in &self.rows {
            match *row {
                Row::Ceiling(now) => ceiling = usize::from(now),
                Row::Reserve(card) => change(&mut tokens, Token::Free, Token::Held(card)),
                Row::Carry(card) => tokens.push(Token::Held(card)),
                Row::Settle(card) => change(&mut tokens, Token::Held(card), Token::Spent(card)),
                Row::Release(card) => change(&mut tokens, Token::Held(card), Token::Free),
                Row::Refund(card) => change(&mut tokens, Token::Spent(card), Token::Free),
            }
            // What lies free beyond the ceiling is gone.
            while let Some(free) = tokens.iter().position(|token| *token == Token::Free)
                && tokens.len() > ceiling
            {
                tokens.remove(free);
            }
        }
        tokens
    }

    fn free(&self) -> u8 {
        count(self.tokens().iter().filter(|token| **token == Token::Free))
    }

    fn holds(&self, token: Token) -> bool {
        self.tokens().contains(&token)
    }

    fn view(&self) -> LedgerView {
        let held = |token: &&Token| matches!(token, Token::Held(_));
        let settled = |row: &&Row| matches!(row, Row::Settle(_));
        let refunded = |row: &&Row| matches!(row, Row::Refund(_));
        LedgerView {
            day: self.day,
            ceiling: self.ceiling(),
            free: self.free(),
            reserved: count(self.tokens().iter().filter(held)),
            settled: count(self.rows.iter().filter(settled)),
            refunded: count(self.rows.iter().filter(refunded)),
        }
    }

    /// Lowers the ceiling until no more than so many lie free.
    fn at_most(&mut self, free: u8) {
        while self.free() > free {
            let lower = self.ceiling() - 1;
            self.rows.push(Row::Ceiling(lower));
        }
    }
}

fn count<T>(items: impl Iterator<Item = T>) -> u8 {
    u8::try_from(items.count()).unwrap()
}

/// Every account there ever was, and which of them matter.
#[derive(Debug, Clone)]
pub(crate) struct Accounts {
    all: Vec<Account>,
    today: usize,
    before: Option<usize>,
    ahead: Option<usize>,
    /// What the owner last said a day is to have.
    wanted: u8,
}

impl Accounts {
    pub(crate) fn new(day: NaiveDate, ceiling: u8) -> Self {
        Self {
            all: vec![Account::open(day, ceiling)],
            today: 0,
            before: None,
            ahead: None,
            wanted: ceiling,
        }
    }

    fn now(&mut self) -> &mut Account {
        &mut self.all[self.today]
    }

    pub(crate) fn view(&self) -> LedgerView {
        self.all[self.today].view()
    }

    pub(crate) fn free(&self) -> u8 {
        self.all[self.today].free()
    }

    /// Whether a card has a token of today's, held or spent, given back or not.
    pub(crate) fn has_card(&self, card: u64) -> bool {
        let rows = &self.all[self.today].rows;
        let had = [Row::Reserve(card), Row::Carry(card)];
        rows.iter().any(|row| had.contains(row)) && !rows.contains(&Row::Release(card))
    }

    fn open(&mut self, day: NaiveDate, ceiling: u8) {
        let mut account = Account::open(day, ceiling);
        for old in self.all.iter_mut().filter(|old| old.day == day) {
            for token in old.tokens() {
                if let Token::Held(card) = token {
                    old.rows.push(Row::Release(card));
                    account.rows.push(Row::Carry(card));
                }
            }
        }
        self.all.push(account);
        self.today = self.all.len() - 1;
    }

    /// The local date is this one.
    pub(crate) fn roll(&mut self, date: NaiveDate) {
        let (day, left) = (self.all[self.today].day, self.free());
        let of = |all: &[Account], place: Option<usize>| place.filter(|place| all[*place].day == date);
        if date > day {
            let known = of(&self.all, self.ahead);
            if self.ahead.is_some_and(|ahead| self.all[ahead].day <= date) {
                self.ahead = None;
            }
            self.before = Some(self.today);
            match known {
                None => self.open(date, self.wanted),
                Some(known) => {
                    self.today = known;
                    self.now().at_most(left);
                }
            }
        } else if (day - date).num_days() > 2 {
            let known = of(&self.all, self.before);
            if known.is_some() {
                self.before = None;
            }
            self.ahead = Some(self.today);
            match known {
                None => self.open(date, left),
                Some(known) => {
                    self.today = known;
                    self.now().at_most(left);
                }
            }
        }
    }

    /// The owner wants so many a day.
    pub(crate) fn want(&mut self, ceiling: u8) {
        self.wanted = ceiling;
        if ceiling < self.now().ceiling() {
            self.now().rows.push(Row::Ceiling(ceiling));
        }
    }

    pub(crate) fn reserve(&mut self, card: u64) {
        self.now().rows.push(Row::Reserve(card));
    }

    /// The account on which a token is held for a card.
    fn holding(&mut self, card: u64) -> Option<&mut Account> {
        self.all
            .iter_mut()
            .rev()
            .find(|account| account.holds(Token::Held(card)))
    }

    /// It was shown; nothing for one without a token.
    pub(crate) fn settle(&mut self, card: u64) {
        if let Some(account) = self.holding(card) {
            account.rows.push(Row::Settle(card));
        }
    }

    /// It never will be.
    pub(crate) fn release(&mut self, card: u64) {
        if let Some(account) = self.holding(card) {
            account.rows.push(Row::Release(card));
        }
    }

    /// "Useful": one token, same day, once, up to the ceiling.
    pub(crate) fn useful(&mut self, card: u64) -> bool {
        let account = self.now();
        let refunds = account.holds(Token::Spent(card)) && account.free() < account.ceiling();
        if refunds {
            account.rows.push(Row::Refund(card));
        }
        refunds
    }
}
