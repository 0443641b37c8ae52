//! Waiting for the owner to type a code (RFC 8628, 3.4 and 3.5).
//!
//! What: [`DevicePolling`], how long is waited and when it is over. Why: a provider is asked as seldom as it says, and not for ever. Not here: asking
//! (`flow`).

use aura_process::source::{DeviceCode, IssuedTokens, LookFailure, TokenAnswer, TokenRefusal};
use orchestrator_machine::supervision::longer_pause;
use std::time::Duration;
use surfaces_base::backend::sign_in::SignInFailure;

/// What a server that wants to be asked less often adds.
const SLOWER: Duration = Duration::from_secs(5);
/// Between two questions, at most.
const BETWEEN_MAX: Duration = Duration::from_mins(1);

/// How a code is asked about.
#[derive(Debug)]
pub(in crate::accounts) struct DevicePolling {
    between: Duration,
    /// For how long the code still counts.
    left: Duration,
}

/// What an answer leads to.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::accounts) enum PollingStep {
    AskAgain,
    SignedIn(IssuedTokens),
    Failed(SignInFailure),
}

impl DevicePolling {
    pub(in crate::accounts) fn new(code: &DeviceCode) -> Self {
        Self {
            between: Duration::from_secs(code.interval_s),
            left: Duration::from_secs(code.expires_s),
        }
    }

    /// How long to wait before the next question; `None`: the code has expired by then.
    pub(in crate::accounts) fn next_wait(&mut self) -> Option<Duration> {
        self.left = self.left.checked_sub(self.between)?;
        Some(self.between)
    }

    /// What an answer leads to.
    pub(in crate::accounts) fn on_answer(
        &mut self,
        answered: Result<TokenAnswer, LookFailure>,
    ) -> PollingStep {
        match answered {
            Ok(TokenAnswer::Tokens(tokens)) => PollingStep::SignedIn(tokens),
            Ok(TokenAnswer::Refused(TokenRefusal::Pending)) => PollingStep::AskAgain,
            Ok(TokenAnswer::Refused(TokenRefusal::SlowDown)) => {
                self.between = (self.between + SLOWER).min(BETWEEN_MAX);
                PollingStep::AskAgain
            }
            Ok(TokenAnswer::Refused(why)) => PollingStep::Failed(refused(why)),
            Ok(TokenAnswer::Metadata(_) | TokenAnswer::Device(_) | TokenAnswer::Revoked) => {
                PollingStep::Failed(SignInFailure::Unreachable {
                    failure: LookFailure::Broken,
                })
            }
            // A line that is down for a moment ends nothing.
            Err(
                LookFailure::Unreachable
                | LookFailure::UnknownHost
                | LookFailure::Silent
                | LookFailure::Broken
                | LookFailure::TooOften { .. },
            ) => {
                self.between = longer_pause(self.between, BETWEEN_MAX);
                PollingStep::AskAgain
            }
            Err(failure) => PollingStep::Failed(SignInFailure::Unreachable { failure }),
        }
    }
}

/// A refusal, as the owner is told it.
pub(in crate::accounts) fn refused(why: TokenRefusal) -> SignInFailure {
    let named = |why: &str| SignInFailure::Refused { why: why.to_owned() };
    match why {
        TokenRefusal::Denied => SignInFailure::Denied,
        TokenRefusal::Expired => SignInFailure::Expired,
        TokenRefusal::Pending => named("authorization_pending"),
        TokenRefusal::SlowDown => named("slow_down"),
        TokenRefusal::GrantEnded => named("invalid_grant"),
        TokenRefusal::Other(why) => SignInFailure::Refused { why },
    }
}

#[cfg(test)]
mod tests {
    use super::{super::kept::tests::issued, *};

    fn polling() -> DevicePolling {
        let code = serde_json::json!({
            "device_code": "d", "user_code": "u", "address": "https://x.example/", "expires_s": 30, "interval_s": 5
        });
        DevicePolling::new(&serde_json::from_value(code).unwrap())
    }

    fn refusal(why: TokenRefusal) -> TokenAnswer {
        TokenAnswer::Refused(why)
    }

    #[test]
    fn provider_that_is_slow_is_asked_less_often_until_the_code_expires() {
        let mut polling = polling();
        let seconds = |polling: &mut DevicePolling| polling.next_wait().map(|wait| wait.as_secs());
        assert_eq!(seconds(&mut polling), Some(5));
        assert_eq!(
            polling.on_answer(Ok(refusal(TokenRefusal::Pending))),
            PollingStep::AskAgain
        );
        assert_eq!(seconds(&mut polling), Some(5));
        assert_eq!(
            polling.on_answer(Ok(refusal(TokenRefusal::SlowDown))),
            PollingStep::AskAgain
        );
        // Not only the next one (RFC 8628, 3.5).
        assert_eq!(seconds(&mut polling), Some(10));
        assert_eq!(
            polling.on_answer(Ok(refusal(TokenRefusal::Pending))),
            PollingStep::AskAgain
        );
        assert_eq!(seconds(&mut polling), Some(10));
        assert_eq!(seconds(&mut polling), None);
    }

    #[test]
    fn what_the_owner_or_the_provider_says_ends_it_and_a_line_that_is_down_does_not() {
        let failed = |answered| polling().on_answer(answered);
        for (why, told) in [
            (TokenRefusal::Denied, SignInFailure::Denied),
            (TokenRefusal::Expired, SignInFailure::Expired),
            (
                TokenRefusal::Other("invalid_client".to_owned()),
                SignInFailure::Refused {
                    why: "invalid_client".to_owned(),
                },
            ),
        ] {
            assert_eq!(failed(Ok(refusal(why))), PollingStep::Failed(told));
        }
        assert_eq!(failed(Err(LookFailure::Unreachable)), PollingStep::AskAgain);
        assert_eq!(
            failed(Err(LookFailure::Untrusted)),
            PollingStep::Failed(SignInFailure::Unreachable {
                failure: LookFailure::Untrusted
            })
        );
        let tokens = issued("a", Some("r"), 60);
        assert_eq!(
            failed(Ok(TokenAnswer::Tokens(tokens.clone()))),
            PollingStep::SignedIn(tokens)
        );
    }
}
