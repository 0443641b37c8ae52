//! What can be spent until the next income, and what of each budget is left.
//!
//! What: [`safe_to_spend`], [`budgets`] and [`account_states`], pure functions over payments, what comes again and what the owner said. Why: each part of the sum is a figure of its
//! own, so that it can be followed. Not here: the month's end by the pace of the last days, with its interval (Finance), markup (`web::ahead_page`).

use super::recurring::RecurringSeries;
use chrono::{Datelike, Months, NaiveDate};
use chrono_tz::Tz;
use rust_decimal::{Decimal, prelude::ToPrimitive};
use std::collections::BTreeMap;
use surfaces_base::{
    backend::{
        KeptPayment,
        money_terms::{MoneyTerms, StatementBalance},
    },
    format, words,
};
use toolcall_schema::{
    Category, Timestamp,
    ids::MerchantHash,
    money::{AccountBalance, MoneyFlow},
};

/// 10^15: no figure of a household is larger.
const SUM_MAX: Decimal = Decimal::from_parts(2_764_472_320, 232_830, 0, false, 0);

/// A moment, its zone, and since when all payments are at hand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MoneyMoment {
    pub now: Timestamp,
    pub zone: Tz,
    pub known_since: Timestamp,
}

impl MoneyMoment {
    fn today(&self) -> NaiveDate {
        format::local_date(self.now, self.zone)
    }

    /// Whether a payment's day has come. Of one whose hour nobody told, noon stands for its day: it counts from the morning on.
    fn has_come(self, payment: &KeptPayment) -> bool {
        format::local_date(payment.at, self.zone) <= self.today()
    }
}

/// A budget in this month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BudgetState {
    pub category: Category,
    pub amount: Decimal,
    /// What went out for it since the first of the month.
    pub spent: Decimal,
    /// Below 0: more was spent.
    pub left: Decimal,
    /// How many payments of it are in another currency, which the sum does not hold.
    pub foreign: usize,
}

impl BudgetState {
    /// The share that is spent, 0 to 1.
    #[must_use]
    pub(crate) fn share(&self) -> f64 {
        let share = self
            .spent
            .checked_div(self.amount)
            .and_then(|share| share.to_f64());
        share.unwrap_or(1.0).clamp(0.0, 1.0)
    }
}

/// An account of which a statement or a bank told the balance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AccountState {
    pub statement: StatementBalance,
    /// What there is now; `None`: what was told is from before the payments that are at hand, or of a day to come.
    pub now: Option<Decimal>,
}

/// What can be spent, with every part of the sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpendingRoom {
    pub currency: String,
    pub balance: BalanceInHand,
    /// When the next income is due, and from whom.
    pub until: NaiveDate,
    pub income: MerchantHash,
    /// What is expected before, the next first: the day, to whom, how much.
    pub expected: Vec<(NaiveDate, MerchantHash, Decimal)>,
    pub expected_sum: Decimal,
    /// What is due on the day of that income itself, as above, and no part of the sum.
    pub due_with_income: Vec<(NaiveDate, MerchantHash, Decimal)>,
    /// What of this month's budgets is set aside beyond what is expected.
    pub set_aside: Decimal,
    /// Below 0: so much is missing.
    pub safe: Decimal,
    /// The same a day; `None`: there is nothing to share out.
    pub each_day: Option<Decimal>,
}

/// Why it cannot be said what is safe to spend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RoomObstacle {
    /// Nobody told a balance.
    NoBalance,
    /// It is from before the payments that are at hand, or later than now.
    BalanceTooOld,
    /// Nothing comes in again and again in the balance's currency: this is all that is known.
    NoIncome(BalanceInHand),
    /// Numbers that are no household's.
    TooLarge,
}

impl RoomObstacle {
    /// What is said of it.
    #[must_use]
    pub(crate) fn sentence(&self) -> &'static str {
        match self {
            Self::NoBalance => words::NO_BALANCE.say(),
            Self::BalanceTooOld => words::BALANCE_TOO_OLD.say(),
            Self::NoIncome(_) => words::NO_INCOME.say(),
            Self::TooLarge => words::SUMS_TOO_LARGE.say(),
        }
    }

    /// What the way to the remedy is called; `None`: time brings it.
    #[must_use]
    pub(crate) fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::NoBalance => Some(words::ADD_BALANCE.say()),
            Self::BalanceTooOld | Self::TooLarge => Some(words::CHANGE_BALANCE.say()),
            Self::NoIncome(_) => None,
        }
    }
}

/// What there is in each account of which a statement or a bank told.
///
/// `now` = what was told + what came in since - what went out since, by the payments that name the account.
#[must_use]
pub(crate) fn account_states<'a>(
    terms: &MoneyTerms,
    payments: &(impl Iterator<Item = &'a KeptPayment> + Clone),
    at: MoneyMoment,
) -> Vec<AccountState> {
    let state = |statement: &StatementBalance| {
        let told = &statement.told;
        // A statement that names a day alone means its end.
        let is_at_hand =
            told.as_of >= at.known_since && format::local_date(told.as_of, at.zone) <= at.today();
        let account = Some(statement.account_last4.as_str());
        let moved = moved_since(told, account, payments.clone(), at).filter_map(|one| one.amount.signed());
        let now = bounded_sum(std::iter::once(told.amount).chain(moved));
        AccountState {
            statement: statement.clone(),
            now: now.filter(|_| is_at_hand),
        }
    };
    terms.statement_balances.iter().map(state).collect()
}

/// What moved after a balance was told: in that account, or in all.
fn moved_since<'a>(
    told: &AccountBalance,
    account: Option<&str>,
    payments: impl Iterator<Item = &'a KeptPayment>,
    at: MoneyMoment,
) -> impl Iterator<Item = &'a KeptPayment> {
    payments.filter(move |payment| {
        payment.currency == told.currency
            && payment.at > told.as_of
            && account.is_none_or(|account| payment.account_last4 == account)
            && at.has_come(payment)
    })
}

/// The balance that the figures begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BalanceInHand {
    pub currency: String,
    /// What was told, and when last.
    pub told: (Decimal, Timestamp),
    /// Whether statements and banks told it, in place of the owner.
    pub is_of_statements: bool,
    /// What there is now.
    pub now: Decimal,
    /// Payments since then that have no known direction, which no sum holds.
    pub unclear: usize,
}

/// What the owner told; or, where a statement or a bank told something newer, the sum of the accounts of which they did, as Finance counts for the
/// month's end.
fn known_balance<'a>(
    terms: &MoneyTerms,
    payments: impl Iterator<Item = &'a KeptPayment> + Clone,
    at: MoneyMoment,
) -> Result<BalanceInHand, RoomObstacle> {
    let newest = terms.statement_balances.iter().max_by_key(|one| one.told.as_of);
    let owners = terms.balance.as_ref();
    let first = owners.or_else(|| newest.map(|one| &one.told));
    let currency = first.ok_or(RoomObstacle::NoBalance)?.currency.as_str();
    let of_currency = |one: &&AccountState| one.statement.told.currency == currency;
    let accounts = account_states(terms, &payments, at);
    let accounts: Vec<&AccountState> = accounts.iter().filter(of_currency).collect();
    let newest = accounts.iter().map(|one| one.statement.told.as_of).max();
    let is_unclear = |payment: &&KeptPayment| payment.amount.flow().is_none();
    match (owners, newest) {
        (Some(told), newest) if newest.is_none_or(|newest| newest <= told.as_of) => {
            if told.as_of < at.known_since || told.as_of > at.now {
                return Err(RoomObstacle::BalanceTooOld);
            }
            let since = moved_since(told, None, payments, at);
            let (mut moved, mut unclear) = (vec![told.amount], 0);
            for payment in since {
                moved.extend(payment.amount.signed());
                unclear += usize::from(is_unclear(&payment));
            }
            Ok(BalanceInHand {
                currency: currency.to_owned(),
                told: (told.amount, told.as_of),
                is_of_statements: false,
                now: bounded_sum(moved).ok_or(RoomObstacle::TooLarge)?,
                unclear,
            })
        }
        (_, Some(newest)) => {
            let now: Option<Vec<Decimal>> = accounts.iter().map(|one| one.now).collect();
            let now = bounded_sum(now.ok_or(RoomObstacle::BalanceTooOld)?);
            let told = bounded_sum(accounts.iter().map(|one| one.statement.told.amount));
            let unclear = accounts.iter().map(|one| {
                let StatementBalance { account_last4, told } = &one.statement;
                moved_since(told, Some(account_last4), payments.clone(), at)
                    .filter(is_unclear)
                    .count()
            });
            Ok(BalanceInHand {
                currency: currency.to_owned(),
                told: (told.ok_or(RoomObstacle::TooLarge)?, newest),
                is_of_statements: true,
                now: now.ok_or(RoomObstacle::TooLarge)?,
                unclear: unclear.sum(),
            })
        }
        (_, None) => Err(RoomObstacle::NoBalance),
    }
}

/// The budgets' currency: the balance's, else the files', else that of most payments of the month.
#[must_use]
pub(crate) fn budget_currency(
    terms: &MoneyTerms,
    payments: &[KeptPayment],
    at: MoneyMoment,
) -> Option<String> {
    let told = terms.balance.as_ref().map(|balance| balance.currency.clone());
    let newest = terms.statement_balances.iter().max_by_key(|one| one.told.as_of);
    let by_statement = newest.map(|one| one.told.currency.clone());
    told.or(by_statement)
        .or_else(|| terms.currency.clone())
        .or_else(|| {
            let mut count: BTreeMap<&str, usize> = BTreeMap::new();
            for payment in of_month(payments, at) {
                *count.entry(&payment.currency).or_default() += 1;
            }
            // Of two that are as frequent the first by name.
            let most = count.into_iter().rev().max_by_key(|(_, n)| *n);
            most.map(|(currency, _)| currency.to_owned())
        })
}

/// What of each budget is spent since the first of the month. Refunds do not count against it.
#[must_use]
pub(crate) fn budgets(terms: &MoneyTerms, payments: &[KeptPayment], at: MoneyMoment) -> Vec<BudgetState> {
    let Some(currency) = budget_currency(terms, payments, at) else {
        let unspent = |(category, amount): (&Category, &Decimal)| BudgetState {
            category: *category,
            amount: *amount,
            spent: Decimal::ZERO,
            left: *amount,
            foreign: 0,
        };
        return terms.budgets.iter().map(unspent).collect();
    };
    let state = |(category, amount): (&Category, &Decimal)| {
        let of = || of_month(payments, at).filter(|payment| payment.category == *category);
        let spent = bounded_sum(
            of().filter(|payment| payment.currency == currency)
                .map(|payment| payment.amount.size()),
        );
        let spent = spent.unwrap_or(SUM_MAX);
        BudgetState {
            category: *category,
            amount: *amount,
            spent,
            left: *amount - spent,
            foreign: of().filter(|payment| payment.currency != currency).count(),
        }
    };
    terms.budgets.iter().map(state).collect()
}

/// What can be spent until the next income. `payments`: all, transfers between own accounts too, of which one side may be older than the balance.
///
/// ```text
/// safe     = balance - expected - set aside
/// balance  = what the owner, statements or banks told last + what came in since - what went out since
/// expected = each payment that comes again, from today to the day before the next income; what is overdue counts today
/// set aside = sum over the budgets of max(0, rest of the month's budget - what is expected of its category until then)
/// ```
///
/// That is the "Safe-to-Spend" that the bank Simple showed (2012): what is there without the bills to come and what is set aside. A category that has a budget
/// and bills counts once, with the larger of the two. The next income is the next day on which the largest one that comes again is due. Budgets of the next month
/// are not set aside, also where the income comes after the first.
///
/// # Errors
/// What is missing for it.
pub(crate) fn safe_to_spend<'a>(
    terms: &MoneyTerms,
    (payments, series): (impl Iterator<Item = &'a KeptPayment> + Clone, &[RecurringSeries]),
    budgets: &[BudgetState],
    at: MoneyMoment,
) -> Result<SpendingRoom, RoomObstacle> {
    let known = known_balance(terms, payments, at)?;
    let today = at.today();
    let in_currency = |one: &&RecurringSeries| one.currency == known.currency;
    let income = series
        .iter()
        .filter(in_currency)
        .filter(|one| one.flow == MoneyFlow::In)
        .max_by(|a, b| (a.amount, &b.merchant).cmp(&(b.amount, &a.merchant)));
    let Some((income, until)) = income.and_then(|income| Some((income, income.due_after(today)?))) else {
        return Err(RoomObstacle::NoIncome(known));
    };
    let bills: Vec<&RecurringSeries> = series
        .iter()
        .filter(in_currency)
        .filter(|one| one.flow == MoneyFlow::Out)
        .collect();
    let after = until.succ_opt().unwrap_or(until);
    let mut expected: Vec<(NaiveDate, MerchantHash, Decimal)> = bills
        .iter()
        .flat_map(|one| {
            let days = one.expected(today, after);
            days.into_iter()
                .map(|day| (day, one.merchant.clone(), one.amount))
        })
        .collect();
    expected.sort();
    let due_with_income = expected.split_off(expected.partition_point(|(day, ..)| *day < until));
    let expected_sum =
        bounded_sum(expected.iter().map(|(.., amount)| *amount)).ok_or(RoomObstacle::TooLarge)?;
    let month_end = next_month(today).unwrap_or(until).min(until);
    let aside = |budget: &BudgetState| {
        let bills = bills.iter().filter(|one| one.category == budget.category);
        let counts = bills.map(|one| one.amount * Decimal::from(one.expected(today, month_end).len()));
        bounded_sum(counts).map(|bills| (budget.left - bills).max(Decimal::ZERO))
    };
    let set_aside = budgets
        .iter()
        .map(aside)
        .try_fold(Decimal::ZERO, |sum, one| sum.checked_add(one?))
        .ok_or(RoomObstacle::TooLarge)?;
    let safe = known.now - expected_sum - set_aside;
    let days = Decimal::from((until - today).num_days().max(1));
    Ok(SpendingRoom {
        currency: known.currency.clone(),
        until,
        income: income.merchant.clone(),
        expected,
        expected_sum,
        due_with_income,
        set_aside,
        safe,
        each_day: (safe > Decimal::ZERO)
            .then(|| safe.checked_div(days).map(|each| each.trunc_with_scale(2)))
            .flatten(),
        balance: known,
    })
}

/// What went out in the month of today, up to today.
fn of_month(payments: &[KeptPayment], at: MoneyMoment) -> impl Iterator<Item = &KeptPayment> {
    let first = at.today().with_day(1).unwrap_or_else(|| at.today());
    let from = format::midnight(first, at.zone);
    payments.iter().filter(move |payment| {
        payment.amount.flow() == Some(MoneyFlow::Out) && payment.at >= from && at.has_come(payment)
    })
}

fn next_month(day: NaiveDate) -> Option<NaiveDate> {
    day.with_day(1)?.checked_add_months(Months::new(1))
}

/// A sum; `None`: it is no household's.
fn bounded_sum(amounts: impl IntoIterator<Item = Decimal>) -> Option<Decimal> {
    let mut amounts = amounts.into_iter();
    let sum = amounts.try_fold(Decimal::ZERO, |sum: Decimal, one| sum.checked_add(one))?;
    (sum.abs() <= SUM_MAX).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::super::recurring::recurring;
    use super::*;

    fn payment(on: &str, amount: &str, (who, category): (u32, Category)) -> KeptPayment {
        KeptPayment {
            at: Timestamp::parse(&format!("{on}T12:00:00Z")).unwrap(),
            amount: amount.parse().unwrap(),
            currency: "EUR".to_owned(),
            merchant: MerchantHash::parse(&format!("mh_{who:016x}")).unwrap(),
            category,
            account_last4: "1122".to_owned(),
        }
    }

    const RENT: (u32, Category) = (1, Category::Rent);
    const SALARY: (u32, Category) = (2, Category::Other);
    const MUSIC: (u32, Category) = (3, Category::Subscriptions);
    const SHOP: (u32, Category) = (4, Category::Groceries);
    const INTEREST: (u32, Category) = (5, Category::Other);

    fn household() -> Vec<KeptPayment> {
        let mut all = Vec::new();
        for month in ["2026-08", "2026-09", "2026-10"] {
            all.push(payment(&format!("{month}-03"), "-700", RENT));
            all.push(payment(&format!("{month}-25"), "+2000", SALARY));
            all.push(payment(&format!("{month}-12"), "-10", MUSIC));
            all.push(payment(&format!("{month}-28"), "+0.50", INTEREST));
        }
        all.push(payment("2026-11-03", "-700", RENT));
        all.push(payment("2026-11-04", "-60", SHOP));
        all.push(payment("2026-11-05", "-45.50", SHOP));
        all
    }

    fn amount(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    fn terms(balance: Option<(&str, &str)>, budgets: &[(Category, &str)]) -> MoneyTerms {
        MoneyTerms {
            balance: balance.map(|(sum, as_of)| AccountBalance {
                amount: amount(sum),
                currency: "EUR".to_owned(),
                as_of: Timestamp::parse(as_of).unwrap(),
            }),
            budgets: budgets
                .iter()
                .map(|(category, sum)| (*category, amount(sum)))
                .collect(),
            ..MoneyTerms::default()
        }
    }

    /// In the evening of the 5th of November.
    fn moment() -> MoneyMoment {
        MoneyMoment {
            now: Timestamp::parse("2026-11-05T20:00:00Z").unwrap(),
            zone: Tz::UTC,
            known_since: Timestamp::parse("2025-01-01T00:00:00Z").unwrap(),
        }
    }

    fn room(terms: &MoneyTerms, payments: &[KeptPayment]) -> Result<SpendingRoom, RoomObstacle> {
        let series = recurring(payments, None, moment().today(), Tz::UTC);
        let budgets = budgets(terms, payments, moment());
        safe_to_spend(terms, (payments.iter(), &series), &budgets, moment())
    }

    #[test]
    fn each_part_of_the_sum_is_worked_out_and_a_category_counts_once() {
        let terms = terms(
            Some(("1500", "2026-11-01T00:00:00Z")),
            &[
                (Category::Groceries, "300"),
                (Category::Subscriptions, "25"),
                (Category::Rent, "700"),
            ],
        );
        let room = room(&terms, &household()).unwrap();
        // 1500 - 700 - 60 - 45.50.
        assert_eq!(room.balance.now, amount("694.50"));
        // The salary of the 25th, not the interest of the 28th; before it the music of the 12th.
        assert_eq!(room.until.to_string(), "2026-11-25");
        assert_eq!(room.expected_sum, amount("10"));
        // Groceries 300 - 105.50; 25 - 10 for subscriptions, whose 10 are expected; the rent is used up.
        assert_eq!(room.set_aside, amount("209.50"));
        // 694.50 - 10 - 209.50, in 20 days.
        assert_eq!(room.safe, amount("475"));
        assert_eq!(room.each_day, Some(amount("23.75")));
    }

    #[test]
    fn what_is_due_on_the_day_of_the_income_stands_beside_the_sum() {
        let mut payments = household();
        for month in ["2026-08", "2026-09", "2026-10"] {
            payments.push(payment(
                &format!("{month}-25"),
                "-300",
                (6, Category::BillsUtilities),
            ));
        }
        let room = room(&terms(Some(("1500", "2026-11-01T00:00:00Z")), &[]), &payments).unwrap();
        let due: Vec<_> = room
            .due_with_income
            .iter()
            .map(|(day, _, sum)| (day.to_string(), *sum))
            .collect();
        assert_eq!(due, [("2026-11-25".to_owned(), amount("300"))]);
        // The music of the 12th alone.
        assert_eq!(room.expected_sum, amount("10"));
    }

    fn by_bank(account: &str, sum: &str, as_of: &str) -> StatementBalance {
        StatementBalance {
            account_last4: account.to_owned(),
            told: AccountBalance {
                amount: amount(sum),
                currency: "EUR".to_owned(),
                as_of: Timestamp::parse(as_of).unwrap(),
            },
        }
    }

    #[test]
    fn what_a_bank_told_last_counts_with_what_moved_in_that_account_since() {
        let mut told = terms(Some(("9", "2026-11-02T00:00:00Z")), &[]);
        told.statement_balances = vec![
            by_bank("1122", "500", "2026-11-05T07:00:00Z"),
            // A statement of today that names no hour.
            by_bank("7788", "1000", "2026-11-05T23:59:59Z"),
        ];
        let counted = room(&told, &household()).unwrap();
        // 500 - 45.50 + 1000.
        assert_eq!(
            (counted.balance.now, counted.balance.told.0),
            (amount("1454.50"), amount("1500"))
        );
        assert!(counted.balance.is_of_statements);
        let payments = household();
        let states = account_states(&told, &payments.iter(), moment());
        let now: Vec<_> = states.iter().map(|one| one.now).collect();
        assert_eq!(now, [Some(amount("454.50")), Some(amount("1000"))]);
        // What she told later than they did counts for all of them.
        told.statement_balances.pop();
        if let Some(balance) = &mut told.balance {
            balance.as_of = Timestamp::parse("2026-11-05T09:00:00Z").unwrap();
        }
        let counted = room(&told, &household()).unwrap();
        assert_eq!(
            (counted.balance.now, counted.balance.is_of_statements),
            (amount("-36.50"), false)
        );
        // Without her word theirs is enough; one that is too old is none.
        told.balance = None;
        assert_eq!(room(&told, &household()).unwrap().balance.now, amount("454.50"));
        told.statement_balances
            .push(by_bank("7788", "1", "2024-11-05T07:00:00Z"));
        assert_eq!(room(&told, &household()).err(), Some(RoomObstacle::BalanceTooOld));
    }

    #[test]
    fn a_payment_of_today_counts_before_noon_and_one_of_tomorrow_does_not() {
        let morning = MoneyMoment {
            now: Timestamp::parse("2026-11-05T08:00:00Z").unwrap(),
            ..moment()
        };
        // Both at noon, as files without an hour are read: 45.50 today, 60 tomorrow.
        let payments = [
            payment("2026-11-05", "-45.50", SHOP),
            payment("2026-11-06", "-60", SHOP),
        ];
        let state = budgets(&terms(None, &[(Category::Groceries, "100")]), &payments, morning);
        assert_eq!(state.first().map(|budget| budget.left), Some(amount("54.50")));
    }

    #[test]
    fn less_than_nothing_is_said_as_it_is() {
        let terms = terms(Some(("-20", "2026-11-05T13:00:00Z")), &[]);
        let room = room(&terms, &household()).unwrap();
        assert_eq!(
            (room.balance.now, room.safe, room.each_day),
            (amount("-20"), amount("-30"), None)
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        let known = household();
        let told = Some(("1500", "2026-11-01T00:00:00Z"));
        let without_salary: Vec<KeptPayment> = known
            .iter()
            .filter(|one| one.amount.flow() == Some(MoneyFlow::Out))
            .cloned()
            .collect();
        let obstacle = |balance, payments: &[KeptPayment]| room(&terms(balance, &[]), payments).err();
        assert_eq!(obstacle(None, &known), Some(RoomObstacle::NoBalance));
        assert!(
            matches!(obstacle(told, &without_salary), Some(RoomObstacle::NoIncome(known)) if known.currency == "EUR")
        );
        assert_eq!(
            obstacle(Some(("1", "2024-12-31T23:59:59Z")), &known),
            Some(RoomObstacle::BalanceTooOld)
        );
        assert_eq!(
            obstacle(Some(("1", "2026-11-06T00:00:00Z")), &known),
            Some(RoomObstacle::BalanceTooOld)
        );
        let huge = "79228162514264337593543950335";
        assert_eq!(
            obstacle(Some((huge, "2026-11-01T00:00:00Z")), &known),
            Some(RoomObstacle::TooLarge)
        );
        // An income in another currency is none for this balance.
        let mut dollars = terms(told, &[]);
        if let Some(balance) = &mut dollars.balance {
            balance.currency = "USD".to_owned();
        }
        assert!(matches!(
            room(&dollars, &known).err(),
            Some(RoomObstacle::NoIncome(_))
        ));
    }

    #[test]
    fn a_budget_is_of_one_currency_of_this_month_and_may_be_passed() {
        let mut payments = household();
        payments.push(payment("2026-10-31", "-500", SHOP));
        payments.push(payment("2026-11-05", "+20", SHOP));
        payments.push(KeptPayment {
            currency: "USD".to_owned(),
            ..payment("2026-11-02", "-9", SHOP)
        });
        let state = budgets(&terms(None, &[(Category::Groceries, "100")]), &payments, moment());
        assert_eq!(
            state,
            [BudgetState {
                category: Category::Groceries,
                amount: amount("100"),
                spent: amount("105.50"),
                left: amount("-5.50"),
                foreign: 1,
            }]
        );
        assert_eq!(state.first().map(BudgetState::share), Some(1.0));
        let nothing = budgets(&terms(None, &[(Category::Travel, "40")]), &[], moment());
        assert_eq!(nothing.first().map(|one| one.left), Some(amount("40")));
    }
}
