//! Logging in to a server of mail by a token.
//!
//! What: [`TokenMechanism`], OAUTHBEARER (RFC 7628) and XOAUTH2, which came before it. Why: servers that take no passwords take one of the two.
//! Not here: the commands (`session`).

use super::super::wire::{AccessToken, ServerPlace};
use data_encoding::BASE64;
use zeroize::Zeroizing;

/// How a token is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenMechanism {
    OAuthBearer,
    XOAuth2,
}

impl TokenMechanism {
    pub(super) const ALL: [Self; 2] = [Self::OAuthBearer, Self::XOAuth2];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::OAuthBearer => "OAUTHBEARER",
            Self::XOAuth2 => "XOAUTH2",
        }
    }

    /// What is sent first, coded.
    pub(super) fn first(self, place: &ServerPlace, token: &AccessToken) -> Zeroizing<String> {
        let text = Zeroizing::new(match self {
            Self::OAuthBearer => format!(
                "n,a={},\u{1}host={}\u{1}port={}\u{1}auth=Bearer {}\u{1}\u{1}",
                token.user.replace('=', "=3D").replace(',', "=2C"),
                place.host,
                place.port,
                token.token
            ),
            Self::XOAuth2 => format!("user={}\u{1}auth=Bearer {}\u{1}\u{1}", token.user, token.token),
        });
        Zeroizing::new(BASE64.encode(text.as_bytes()))
    }

    /// What is sent to a server that says why it refuses, so that it ends the command.
    pub(super) fn last(self) -> &'static str {
        match self {
            Self::OAuthBearer => "AQ==",
            Self::XOAuth2 => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_shown_as_each_mechanism_wants_it() {
        let place = ServerPlace::parse_imap("imap://server.example.com").unwrap();
        let token = AccessToken {
            user: "user@example.com".to_owned(),
            token: "vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg==".to_owned(),
        };
        // The example of RFC 7628, section 4.1.
        assert_eq!(
            TokenMechanism::OAuthBearer.first(&place, &token).as_str(),
            "bixhPXVzZXJAZXhhbXBsZS5jb20sAWhvc3Q9c2VydmVyLmV4YW1wbGUuY29tAXBvcnQ9MTQzAWF1dGg9QmVhcmVyIHZGOWRmdDRxbVRjMk52YjNSbGNrQmhiSFJoZG1semRHRXVZMjl0Q2c9PQEB"
        );
        let second = TokenMechanism::XOAuth2.first(&place, &token);
        let second = BASE64.decode(second.as_bytes()).unwrap();
        assert!(second.starts_with(b"user=user@example.com\x01auth=Bearer vF9"));
        let odd = AccessToken {
            user: "a,b=c".to_owned(),
            token: "t".to_owned(),
        };
        let odd = BASE64
            .decode(TokenMechanism::OAuthBearer.first(&place, &odd).as_bytes())
            .unwrap();
        assert!(odd.starts_with(b"n,a=a=2Cb=3Dc,\x01"));
    }
}
