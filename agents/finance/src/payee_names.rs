//! What payees are called, after a restart.
//!
//! What: [`PayeeReader`], which goes through the sources once more and takes nothing but names. Why: no name is kept, files that were read are not
//! opened twice, and yet the owner is told who was paid. Not here: reading payments (`mod`), the names themselves (`merchant_memory`).
//!
//! A name counts where its payment is known: what was forgotten stays forgotten, though its file still tells of it. Of payments that the state had no room for
//! memory knows which are left, so all of that time are named: a name is told to who asks by the id of its shop.

use super::{
    book::{self, PaymentBook},
    category,
    merchant_memory::MerchantMemory,
    sources::{self, FoundPayment, StatementItem},
    statements::StatementFolders,
    usual_currency,
};
use agents_base::{
    contract::AgentSetup,
    mail::{FoundMail, MailboxReader},
    shared::{IngestReport, JsonlReader},
};
use toolcall_schema::{Timestamp, ids::MerchantHash};

/// How far the sources were gone through for names.
pub(super) struct PayeeReader {
    statements: StatementFolders,
    jsonl: JsonlReader,
    receipts: MailboxReader,
}

impl PayeeReader {
    /// At the beginning of all sources. `receipt_ms`: how old a receipt may be.
    pub(super) fn new(receipt_ms: i64) -> Self {
        Self {
            statements: StatementFolders::default(),
            jsonl: JsonlReader::default(),
            receipts: MailboxReader::of_last(receipt_ms),
        }
    }

    /// Goes on for one slice, and says how many bytes of files are left; 0: there is no more to learn.
    pub(super) fn read_more(
        &mut self,
        setup: &AgentSetup,
        (book, names): (&PaymentBook, &mut MerchantMemory),
        at: Timestamp,
    ) -> u64 {
        let is_named = |merchant: &&MerchantHash| names.name(merchant).is_some();
        if book.is_whole() && book.merchants().iter().all(is_named) {
            return 0;
        }
        // What cannot be read was said when it was read for payments.
        let mut report = IngestReport::default();
        let (zone, sources) = (setup.owner.zone, &setup.sources);
        let mut name = |found: FoundPayment| {
            let text = found.merchant.clone();
            let (id, claim) = book.claim_of(found);
            if book.may_stand_elsewhere(&id, &claim) {
                names.name_of(claim.merchant, &category::display_name(&text));
            } else {
                names.name_payee(book, &id, &text);
            }
        };
        let currency = setup
            .owner
            .balance
            .as_ref()
            .map_or("INR", |balance| &balance.currency);
        self.jsonl
            .read(&sources.sms, at, &mut report, &mut |signal, _, _| {
                if let Ok(found) = sources::read(signal, zone, currency) {
                    name(found.payment);
                }
            });
        let oldest = book::oldest(at);
        let wishes = ((&setup.owner.finance, usual_currency(&setup.owner)), zone);
        self.statements.read(
            &sources.finance,
            wishes,
            at,
            &mut report,
            &mut |item, _, _| match item {
                StatementItem::Payment(found) => {
                    if found.ts >= oldest {
                        name(found);
                    }
                    true
                }
                StatementItem::Balance(_) => true,
            },
        );
        for source in &sources.receipts {
            let mut take = |found: FoundMail| {
                if let Some(Ok(found)) = sources::receipt::read(&found.mail, found.sent) {
                    name(found);
                }
            };
            // The listing is of no use: nothing is looked at twice.
            let _ = self.receipts.read(source, (at, at), &mut report, &mut take);
        }
        report.left
    }
}
