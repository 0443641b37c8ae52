//! What Finance keeps: what its sources said of payments, and the payments that come of it.
//!
//! What: [`PaymentBook`], a set of [`PaymentClaim`]s of the last 120 days without a word of text, and the [`BookedPayment`]s they tell of. Why: one
//! payment is told of by a message, a statement and a journal; what is kept is what each said, so that the payments follow
//! from the set alone, in whatever order and how often it was read. Not here: which claims are one payment (`matching`),
//! sums by day (`view`), reading (`sources`).

use super::{
    category,
    claim::{BalanceRow, BookedPayment, ClaimRow, CsvReading, NO_ACCOUNT, PaymentClaim, PaymentSource},
    forgotten::{ForgottenBalances, ForgottenClaims},
    matching,
    shops::ShopCategories,
    sources,
};
use agents_base::zone;
use chrono::NaiveDate;
use chrono_tz::Tz;
use rust_decimal::Decimal;
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    Category, Timestamp,
    ids::{MerchantHash, SecretKey, TxnId},
    signal::Direction,
};

/// Days a claim is kept.
const KEEP_DAYS: i64 = 120;
/// Claims kept in the working set. Beyond it the oldest are dropped once they were reported to memory.
const MAX_CLAIMS: usize = 20_000;
/// Claims over the limit before the oldest are dropped, because dropping recomputes all payments.
const SPARE_CLAIMS: usize = 2048;
/// Accounts whose balance is kept; beyond it the oldest go.
pub(super) const MAX_BALANCES: usize = 64;
/// The claims by id, and the payments they tell of.
#[derive(Debug)]
pub(super) struct PaymentBook {
    key: SecretKey,
    zone: Tz,
    claims: BTreeMap<TxnId, PaymentClaim>,
    /// The newest balance of each account and currency: when, how much.
    balances: BTreeMap<(String, String), (Timestamp, Decimal)>,
    /// The owner's own accounts, by configuration.
    own: BTreeSet<String>,
    names: matching::MerchantMatcher,
    txns: BTreeMap<TxnId, BookedPayment>,
    /// The payment that each claim tells of.
    of: BTreeMap<TxnId, TxnId>,
    /// The claims of each payment that has more than one.
    joined: BTreeMap<TxnId, Vec<TxnId>>,
    /// Whether the payments must be recomputed.
    unsettled: bool,
    /// When the newest of those claims was that went because there were too many.
    cut: Option<Timestamp>,
    /// Payments that memory knows and no source says any more, until memory has let go of them.
    pub(super) withdrawn: BTreeSet<TxnId>,
    /// Where the owner says that a shop's payments count.
    pub(super) shops: ShopCategories,
    /// What was forgotten.
    pub(super) forgotten: ForgottenClaims,
    pub(super) forgotten_balances: ForgottenBalances,
}

/// What [`PaymentBook::enter`] did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EnterOutcome {
    /// It is new: the claim's id.
    New(TxnId),
    /// It was known already, by this id, or was forgotten.
    Known(TxnId),
    /// It is older than what is kept.
    TooOld,
}

impl PaymentBook {
    /// A book without claims. `own`: the last four digits of the owner's accounts.
    pub(super) fn new(key: &SecretKey, zone: Tz, own: &[String]) -> Self {
        Self {
            key: key.clone(),
            zone,
            claims: BTreeMap::new(),
            balances: BTreeMap::new(),
            own: own.iter().cloned().collect(),
            names: matching::MerchantMatcher::new(key),
            txns: BTreeMap::new(),
            of: BTreeMap::new(),
            joined: BTreeMap::new(),
            unsettled: false,
            cut: None,
            withdrawn: BTreeSet::new(),
            shops: ShopCategories::default(),
            forgotten: ForgottenClaims::default(),
            forgotten_balances: ForgottenBalances::default(),
        }
    }

    /// Restores the kept rows; rows that no source could have produced are left out.
    pub(super) fn restore(&mut self, rows: Vec<ClaimRow>, balances: Vec<BalanceRow>, cut: Option<Timestamp>) {
        self.claims = rows.into_iter().filter_map(ClaimRow::read).collect();
        self.cut = cut;
        self.balances.clear();
        for BalanceRow(account_last4, currency, amount, ms) in balances {
            let as_of = Timestamp::from_ms(ms);
            self.note_balance(sources::KnownBalance {
                account_last4,
                currency,
                amount,
                as_of,
            });
        }
        self.unsettled = true;
        self.settle();
        // What was entered by an act is told at the next look.
        let told = |id: &TxnId| self.claims.get(id).is_some_and(|claim| claim.told);
        self.unsettled = !self.txns.keys().all(told);
    }

    /// Enters what a source said, once.
    pub(super) fn enter(&mut self, found: sources::FoundPayment, at: Timestamp) -> EnterOutcome {
        self.enter_read(found, None, at)
    }

    /// The same of an export, with how it was read.
    pub(super) fn enter_read(
        &mut self,
        found: sources::FoundPayment,
        reading: Option<&CsvReading>,
        at: Timestamp,
    ) -> EnterOutcome {
        // Of a file of years most are: nothing more is asked about them.
        if found.ts < oldest(at) {
            return EnterOutcome::TooOld;
        }
        let (id, mut claim) = self.claim_of(found);
        claim.reading = reading.cloned();
        self.enter_claim(id, claim, at)
    }

    /// Takes back what a file said by another mapping, once it was read to its end by this one. The balances of those accounts are told anew.
    /// [`PaymentBook::settle`] has to follow.
    pub(super) fn withdraw_replaced(&mut self, by: &CsvReading) {
        let is_replaced = |_: &TxnId, claim: &mut PaymentClaim| {
            claim
                .reading
                .as_ref()
                .is_some_and(|reading| reading.is_replaced_by(by))
        };
        for (id, claim) in self.claims.extract_if(.., is_replaced) {
            self.unsettled = true;
            self.balances.remove(&(claim.account_last4, claim.currency));
            if claim.told {
                self.withdrawn.insert(id);
            }
        }
    }

    /// What a source said, without its text.
    pub(super) fn claim_of(&self, found: sources::FoundPayment) -> (TxnId, PaymentClaim) {
        let name = category::merchant(&found.merchant);
        let claim = PaymentClaim {
            merchant: self.key.merchant(name),
            category: found
                .category
                .unwrap_or_else(|| category::category(&found.merchant, found.amount)),
            amount: found.amount.normalize(),
            currency: found.currency,
            account_last4: found.account_last4,
            ts: found.ts,
            categorized: found.categorized,
            direction: found.direction,
            source: found.source,
            reference: found.reference.as_deref().map(|text| self.digest(text)),
            told: false,
            reading: None,
        };
        let id = self.id_of(&claim, found.reference.as_deref(), found.which);
        (id, claim)
    }

    /// Enters a claim. Two claims of one id are one, of the earlier time. [`PaymentBook::settle`] has to follow.
    pub(super) fn enter_claim(&mut self, id: TxnId, claim: PaymentClaim, at: Timestamp) -> EnterOutcome {
        if claim.ts < oldest(at) {
            return EnterOutcome::TooOld;
        }
        if claim.source.is_read_whole() && self.forgotten.holds(&id) {
            return EnterOutcome::Known(id);
        }
        if let Some(known) = self.claims.get_mut(&id) {
            self.unsettled |= claim.ts < known.ts;
            known.ts = known.ts.min(claim.ts);
            // The bank may write a numbered line otherwise: which was read first must not show.
            if (&claim.merchant, &claim.reference) < (&known.merchant, &known.reference) {
                self.unsettled = true;
                (known.merchant, known.category) = (claim.merchant, claim.category);
                known.reference = claim.reference;
            }
            if claim.reading.is_some() {
                known.reading = claim.reading;
            }
            return EnterOutcome::Known(id);
        }
        self.unsettled = true;
        self.withdrawn.remove(&id);
        self.claims.insert(id.clone(), claim);
        EnterOutcome::New(id)
    }

    /// What a claim is known by: its source, account, amount, currency, direction, local day, merchant, reference, and which
    /// of several equal ones of its file it is; or, in place of the last three, the bank's own number of the entry; the day is then the bank's. A receipt
    /// with an order's number may come again another day.
    fn id_of(&self, claim: &PaymentClaim, reference: Option<&str>, which: sources::PaymentOrdinal) -> TxnId {
        let source = match claim.source {
            PaymentSource::Message => "",
            PaymentSource::Program => "p|",
            PaymentSource::Receipt => "r|",
            PaymentSource::Camt => "x|",
            PaymentSource::Ofx => "o|",
            PaymentSource::Mt940 => "t|",
            PaymentSource::Csv => "c|",
            PaymentSource::Journal => "j|",
        };
        let day = match (claim.source, reference) {
            (PaymentSource::Receipt, Some(_)) => String::new(),
            (
                PaymentSource::Message
                | PaymentSource::Program
                | PaymentSource::Receipt
                | PaymentSource::Camt
                | PaymentSource::Ofx
                | PaymentSource::Mt940
                | PaymentSource::Csv
                | PaymentSource::Journal,
                _,
            ) => match which {
                sources::PaymentOrdinal::Id(_, day) => day.to_string(),
                sources::PaymentOrdinal::Nth(_) => zone::local_date(claim.ts, self.zone).to_string(),
            },
        };
        let entry = format!(
            "{source}{}|{}|{}|{}|{day}",
            claim.account_last4, claim.amount, claim.currency, claim.direction
        );
        let reference = reference.map(|text| format!("|{text}")).unwrap_or_default();
        let identity = match which {
            sources::PaymentOrdinal::Id(id, _) => format!("{entry}|#{id}"),
            sources::PaymentOrdinal::Nth(0) => format!("{entry}|{}{reference}", claim.merchant),
            sources::PaymentOrdinal::Nth(nth) => format!("{entry}|{}{reference}|{nth}", claim.merchant),
        };
        self.key.txn(&identity)
    }

    fn digest(&self, reference: &str) -> String {
        let upper = reference.to_ascii_uppercase();
        let id = self.key.txn(&format!("reference|{upper}"));
        id.as_str().chars().skip(3).take(8).collect()
    }

    /// Takes note of an account's balance; the newest counts, and none that was forgotten.
    pub(super) fn note_balance(&mut self, known: sources::KnownBalance) {
        let forgotten = &self.forgotten_balances;
        if forgotten.holds(&known.account_last4, &known.currency, known.as_of) {
            return;
        }
        let new = (known.as_of, known.amount);
        let place = (known.account_last4, known.currency);
        if self.balances.get(&place).is_some_and(|old| *old >= new) {
            return;
        }
        self.unsettled = true;
        self.balances.insert(place, new);
        while self.balances.len() > MAX_BALANCES {
            let first = self.balances.iter().min_by_key(|(_, (as_of, _))| *as_of);
            let Some(oldest) = first.map(|(place, _)| place.clone()) else {
                break;
            };
            self.balances.remove(&oldest);
        }
    }

    /// Forgets what is older than 120 days.
    pub(super) fn prune(&mut self, at: Timestamp) {
        let before = self.claims.len();
        let oldest = oldest(at);
        self.forgotten.prune(oldest);
        self.claims.retain(|_, claim| claim.ts >= oldest);
        self.unsettled |= self.claims.len() != before;
        self.cut = self.cut.filter(|cut| *cut >= oldest);
    }

    /// Forgets the oldest above 20 000, but for the payments that memory was not told of: what memory gets does not hang on
    /// what there is room for here. True when it did.
    pub(super) fn keep_newest(&mut self, untold: &[TxnId]) -> bool {
        if self.claims.len() <= MAX_CLAIMS + SPARE_CLAIMS {
            return false;
        }
        let untold = self.claims_of(untold);
        let gone: Vec<(TxnId, Timestamp)> = self
            .newest()
            .skip(MAX_CLAIMS)
            .filter(|(id, claim)| claim.told && !untold.contains(id))
            .map(|(id, claim)| (id.clone(), claim.ts))
            .collect();
        self.cut = self.cut.max(gone.first().map(|(_, ts)| *ts));
        for (id, _) in &gone {
            self.claims.remove(id);
        }
        self.unsettled |= !gone.is_empty();
        self.settle()
    }

    /// How many payments there are.
    pub(super) fn len(&self) -> usize {
        self.txns.len()
    }

    /// The claims of some payments.
    fn claims_of(&self, payments: &[TxnId]) -> BTreeSet<TxnId> {
        let of = |id: &TxnId| self.joined.get(id).cloned().unwrap_or_else(|| vec![id.clone()]);
        payments.iter().flat_map(of).collect()
    }

    /// Whether all that was read is here.
    pub(super) fn is_whole(&self) -> bool {
        self.cut.is_none()
    }

    /// Whether there may have been no room for this claim, so that memory alone knows the payment.
    pub(super) fn may_stand_elsewhere(&self, id: &TxnId, claim: &PaymentClaim) -> bool {
        self.cut.is_some_and(|cut| claim.ts <= cut)
            && !self.claims.contains_key(id)
            && !self.forgotten.holds(id)
    }

    /// Whether all that was read of the time after `since` is here.
    pub(super) fn is_whole_since(&self, since: Timestamp) -> bool {
        self.cut.is_none_or(|cut| cut <= since)
    }

    /// The first local day of which all that was read is here; `None`: every day.
    pub(super) fn first_whole_day(&self) -> Option<NaiveDate> {
        zone::local_date(self.cut?, self.zone).succ_opt()
    }

    /// Recomputes the payments if any claim is new. Pure in the set of claims, but for the ids of payments that memory
    /// knows. True when it did.
    pub(super) fn settle(&mut self) -> bool {
        if !std::mem::take(&mut self.unsettled) {
            return false;
        }
        let payments = matching::payments(&self.claims, &self.names, self.zone);
        let own: BTreeSet<&str> = self
            .claims
            .values()
            .filter(|claim| claim.source.is_statement() && claim.account_last4 != NO_ACCOUNT)
            .map(|claim| claim.account_last4.as_str())
            .chain(self.own.iter().map(String::as_str))
            .collect();
        let mut txns = BTreeMap::new();
        let mut of = BTreeMap::new();
        let mut joined = BTreeMap::new();
        for ids in payments {
            let mut claims: Vec<(&TxnId, &PaymentClaim)> = ids
                .iter()
                .filter_map(|id| self.claims.get_key_value(id))
                .collect();
            claims.sort_by_key(|(id, claim)| (claim.source, claim.ts, *id));
            let named = claims.iter().find(|(_, claim)| claim.told).or(claims.first());
            let Some((id, txn)) = named.and_then(|(id, _)| Some(((*id).clone(), self.merged(&claims)?)))
            else {
                continue;
            };
            of.extend(ids.iter().map(|claim| (claim.clone(), id.clone())));
            if ids.len() > 1 {
                joined.insert(id.clone(), ids);
            }
            txns.insert(id, txn);
        }
        for id in matching::transfers(&txns, &own, self.zone) {
            if let Some(txn) = txns.get_mut(&id) {
                txn.transfer = true;
            }
        }
        self.txns = txns;
        self.of = of;
        self.joined = joined;
        true
    }

    /// The same though no claim is new: the owner said something of a shop.
    pub(super) fn settle_again(&mut self) {
        self.unsettled = true;
        self.settle();
    }

    /// One payment of what several sources said, the most telling first.
    fn merged(&self, claims: &[(&TxnId, &PaymentClaim)]) -> Option<BookedPayment> {
        let (_, first) = claims.first()?;
        let all = || claims.iter().map(|(_, claim)| *claim);
        let merchant = all()
            .find(|claim| self.names.listed(&claim.merchant))
            .or_else(|| all().find(|claim| !self.names.nobody(&claim.merchant)))
            .unwrap_or(first);
        // The owner's own accounts sort better than any table.
        let sorted = || all().filter(|claim| claim.category != Category::Other);
        let category = sorted()
            .find(|claim| claim.source == PaymentSource::Journal)
            .or_else(|| sorted().next())
            .map_or(Category::Other, |claim| claim.category);
        // The owner's word about the shop stands before all of them.
        let by_owner = self.shops.get(&merchant.merchant);
        let special = |claim: &&PaymentClaim| match claim.direction {
            Direction::Refund | Direction::Fee => true,
            Direction::Debit | Direction::Credit => false,
        };
        let account = all()
            .find(|claim| claim.account_last4 != NO_ACCOUNT)
            .unwrap_or(first);
        Some(BookedPayment {
            merchant: merchant.merchant.clone(),
            amount: first.amount,
            currency: first.currency.clone(),
            account_last4: account.account_last4.clone(),
            ts: first.ts,
            category: by_owner.unwrap_or(category),
            categorized: by_owner.is_some() || all().any(|claim| claim.categorized),
            direction: all().find(special).unwrap_or(first).direction,
            transfer: false,
        })
    }

    /// Takes the payments not reported to memory yet and marks them as reported.
    pub(super) fn take_unreported(&mut self) -> Vec<TxnId> {
        let new: Vec<TxnId> = self
            .txns
            .keys()
            .filter(|id| self.claims.get(*id).is_some_and(|claim| !claim.told))
            .cloned()
            .collect();
        for id in &new {
            if let Some(claim) = self.claims.get_mut(id) {
                claim.told = true;
            }
        }
        new
    }

    /// The payments that were reported to memory.
    pub(super) fn reported(&self) -> Vec<TxnId> {
        let told = |id: &&TxnId| self.claims.get(*id).is_some_and(|claim| claim.told);
        self.txns.keys().filter(told).cloned().collect()
    }

    /// Every payment with its id.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&TxnId, &BookedPayment)> {
        self.txns.iter()
    }

    /// The newest balance of each account that a statement told.
    pub(super) fn balances(&self) -> impl Iterator<Item = BalanceRow> {
        self.balances
            .iter()
            .map(|((account, currency), (as_of, amount))| {
                BalanceRow(account.clone(), currency.clone(), *amount, as_of.ms())
            })
    }

    /// The payment that a claim, or a payment's own id, stands for.
    pub(super) fn get(&self, id: &TxnId) -> Option<&BookedPayment> {
        self.txns.get(self.id(id)?)
    }

    /// The id of the payment that a claim tells of.
    pub(super) fn id(&self, claim: &TxnId) -> Option<&TxnId> {
        self.of.get(claim)
    }

    /// Every merchant that a claim names.
    pub(super) fn merchants(&self) -> BTreeSet<&MerchantHash> {
        self.claims.values().map(|claim| &claim.merchant).collect()
    }

    /// The merchant that a claim names.
    pub(super) fn merchant(&self, claim: &TxnId) -> Option<&MerchantHash> {
        self.claims.get(claim).map(|claim| &claim.merchant)
    }

    /// Whether this is the hash of an empty merchant name.
    pub(super) fn is_nobody(&self, merchant: &MerchantHash) -> bool {
        self.names.nobody(merchant)
    }

    /// Gives a payment's category out. `None` when it is not known.
    pub(super) fn categorize(&mut self, id: &TxnId) -> Option<Category> {
        let payment = self.of.get(id)?.clone();
        let alone = [payment.clone()];
        let claims = self.joined.get(&payment).map_or(&alone[..], Vec::as_slice);
        for claim in claims {
            if let Some(claim) = self.claims.get_mut(claim) {
                claim.categorized = true;
            }
        }
        let txn = self.txns.get_mut(&payment)?;
        txn.categorized = true;
        Some(txn.category)
    }

    fn newest(&self) -> impl Iterator<Item = (&TxnId, &PaymentClaim)> {
        let mut all: Vec<_> = self.claims.iter().collect();
        all.sort_by_key(|(id, claim)| (std::cmp::Reverse(claim.ts), *id));
        all.into_iter()
    }

    /// The claims of `untold` and the newest others as rows of the state, whose JSON is at most `max_bytes` long, with when the
    /// newest was that is not among them.
    pub(super) fn rows(&self, max_bytes: usize, untold: &[TxnId]) -> (Vec<ClaimRow>, Option<Timestamp>) {
        let untold = self.claims_of(untold);
        let (first, others): (Vec<_>, Vec<_>) = self.newest().partition(|(id, _)| untold.contains(*id));
        let mut left = max_bytes;
        let mut rows = Vec::new();
        for (id, claim) in first.into_iter().chain(others) {
            let row = ClaimRow::from_claim(id, claim, self.of.get(id));
            let bytes = serde_json::to_vec(&row).map_or(usize::MAX, |json| json.len() + 1);
            if bytes > left {
                return (rows, self.cut.max(Some(claim.ts)));
            }
            left -= bytes;
            rows.push(row);
        }
        (rows, self.cut)
    }
}

pub(super) fn oldest(at: Timestamp) -> Timestamp {
    at.plus_min(-KEEP_DAYS * 24 * 60)
}
