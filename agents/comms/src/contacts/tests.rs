//! Awkward cards, with what a person would say stands in them, and who is one person by them.

use super::{
    card::{BAD_ADDRESS, BROKEN_CARD, LIST_OF_PEOPLE, TOO_MANY_CARDS, phone_number, read_cards},
    people::MergedPeople,
    *,
};
use crate::testing::setup;
use proptest::prelude::*;
use toolcall_schema::forget::ErasureScope;

/// Names with their addresses; `-` for no name.
fn cards_in(bytes: &[u8]) -> Vec<(String, Vec<String>)> {
    let read = read_cards(bytes, MAX_CARDS).cards.into_iter();
    read.map(|card| (card.name.unwrap_or_else(|| "-".to_owned()), card.addresses))
        .collect()
}

fn codes_in(bytes: &[u8]) -> Vec<(&'static str, u64, u32)> {
    let skips = read_cards(bytes, MAX_CARDS).skips.into_iter();
    skips
        .map(|(skip, line, count)| (skip.code, line, count))
        .collect()
}

fn card(lines: &str) -> String {
    format!("BEGIN:VCARD\r\n{}\r\nEND:VCARD\r\n", lines.replace('\n', "\r\n"))
}

#[test]
fn cards_of_every_version_give_a_name_and_its_addresses() {
    let long = format!("VERSION:4.0\nFN:{}", "x".repeat(300));
    let cut = format!("{}…", "x".repeat(119));
    for (lines, name, addresses) in [
        // 4.0, 3.0, 2.1 as their documents have them.
        (
            "VERSION:4.0\nFN:Asha Rao\nEMAIL;PREF=1;TYPE=\"home,other\":asha@example.org\nTEL;VALUE=uri:tel:+44-20-7946-0018;ext=3",
            "Asha Rao",
            vec!["asha@example.org", "+442079460018"],
        ),
        (
            "VERSION:3.0\nN:Rao;Asha;M.;Dr.;\nFN:Asha Rao\nitem1.EMAIL;type=INTERNET:Asha.Rao@Example.org\nitem1.X-ABLabel:work\nitem2.TEL:+1 (415) 555-0100",
            "Asha Rao",
            vec!["asha.rao@example.org", "+14155550100"],
        ),
        (
            "VERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=BCrgen;;;\nTEL;CELL;PREF:0049 30 901820\nEMAIL;INTERNET:jm@example.net",
            "Jürgen Müller",
            vec!["jm@example.net", "+4930901820"],
        ),
        // A soft break in the middle of a letter, an encoding without its name, a charset of another time.
        (
            "VERSION:2.1\nFN;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:=D0=9C=D0=B0=D1=80=\n=D0=B8=D1=8F",
            "Мария",
            vec![],
        ),
        (
            "VERSION:2.1\nFN;QUOTED-PRINTABLE;CHARSET=ISO-8859-1:Ren=E9",
            "René",
            vec![],
        ),
        (
            "VERSION:2.1\nFN;ENCODING=QUOTED-PRINTABLE:Ren=C3=A9",
            "René",
            vec![],
        ),
        ("VERSION:2.1\nFN;ENCODING=QUOTED-PRINTABLE:Ren=E9", "René", vec![]),
        // Folded by a blank and by a tab, in the middle of a word.
        (
            "VERSION:3.0\nFN:Asha\n  Rao and Son\n\ts\nEMAIL:as\n ha@example.org",
            "Asha Rao and Sons",
            vec!["asha@example.org"],
        ),
        // Escapes.
        (
            "VERSION:3.0\nFN:Rao\\, Asha\\; junior\\nof Pune",
            "Rao, Asha; junior of Pune",
            vec![],
        ),
        // No FN: by the parts, by the nickname, by the firm; several nicknames.
        (
            "VERSION:3.0\nN:van der Berg;Anna;;;\nFN:",
            "Anna van der Berg",
            vec![],
        ),
        (
            "VERSION:3.0\nNICKNAME:Bo,Bobo\nEMAIL:bo@example.net",
            "Bo",
            vec!["bo@example.net"],
        ),
        (
            "VERSION:3.0\nORG:Loom Ltd;Weaving\nTEL:030 901820",
            "Loom Ltd",
            vec!["030901820"],
        ),
        (
            "VERSION:3.0\nEMAIL:nobody@example.net",
            "-",
            vec!["nobody@example.net"],
        ),
        // Emoji alone, right to left, and marks that turn the direction taken off.
        ("VERSION:4.0\nFN:🦄", "🦄", vec![]),
        ("VERSION:4.0\nFN:\u{202b}דנה לוי\u{202c}", "דנה לוי", vec![]),
        ("VERSION:4.0\nFN:a\u{202e}gpj.exe", "agpj.exe", vec![]),
        (long.as_str(), cut.as_str(), vec![]),
        // The same address twice, `mailto:`, a name beside it, marks that phones copy along, an empty value.
        (
            "VERSION:4.0\nFN:A\nEMAIL:a@example.org\nEMAIL;TYPE=work:A@EXAMPLE.ORG\nEMAIL:mailto:b@example.org\nEMAIL:\"A B\" <c@example.org>\nTEL:\u{202a}+91 98450 00001\u{202c}\nTEL:\nEMAIL:",
            "A",
            vec!["a@example.org", "b@example.org", "c@example.org", "+919845000001"],
        ),
        // A picture in every form, with what looks like an address in it.
        (
            "VERSION:2.1\nFN:P\nPHOTO;ENCODING=BASE64;JPEG:/9j/4AAQ\n R0lGODlhAQAB\n\nEMAIL:p@example.org\nNOTE;ENCODING=QUOTED-PRINTABLE:EMAIL:no@example.org=\nEMAIL:neither@example.org",
            "P",
            vec!["p@example.org"],
        ),
        (
            "VERSION:3.0\nFN:P\nPHOTO;ENCODING=b;TYPE=JPEG:AAAA\nBBBBCCCC\nTEL:+49 (0)30 901820",
            "P",
            vec!["+4930901820"],
        ),
        // A card within a card.
        (
            "VERSION:2.1\nFN:Boss\nAGENT:\nBEGIN:VCARD\nVERSION:2.1\nFN:Helper\nEMAIL:helper@example.org\nEND:VCARD\nEMAIL:boss@example.org",
            "Boss",
            vec!["boss@example.org"],
        ),
        // Lower case throughout.
        (
            "version:3.0\nfn:Kim\nemail;type=home:kim@example.org",
            "Kim",
            vec!["kim@example.org"],
        ),
    ] {
        let text = card(lines);
        assert_eq!(
            cards_in(text.as_bytes()),
            [(
                name.to_owned(),
                addresses.iter().map(|a| (*a).to_owned()).collect()
            )],
            "{lines}"
        );
        assert_eq!(codes_in(text.as_bytes()), [], "{lines}");
    }
}

#[test]
fn files_of_every_sort_are_lines_of_cards() {
    let two = card("VERSION:3.0\nFN:Asha") + "\r\n" + &card("VERSION:3.0\nFN:Bo");
    let names = |bytes: &[u8]| {
        cards_in(bytes)
            .into_iter()
            .map(|(name, _)| name)
            .collect::<Vec<_>>()
    };
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(two.encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let begun: Vec<u8> = [b"\xef\xbb\xbf".as_slice(), two.as_bytes()].concat();
    for bytes in [
        two.clone().into_bytes(),
        begun,
        utf16,
        two.replace("\r\n", "\n").into_bytes(),
        two.replace("\r\n", "\r").into_bytes(),
        two.to_lowercase()
            .replace("asha", "Asha")
            .replace("bo", "Bo")
            .into_bytes(),
    ] {
        assert_eq!(names(&bytes), ["Asha", "Bo"]);
    }
    // One byte a letter: in the charset that is named, else in that of western Windows.
    let latin = |head: &[u8], name: &[u8]| {
        [
            b"BEGIN:VCARD\nVERSION:2.1\nFN".as_slice(),
            head,
            b":",
            name,
            b"\nEND:VCARD\n",
        ]
        .concat()
    };
    assert_eq!(names(&latin(b"", b"Ren\xe9 \x80")), ["René €"]);
    assert_eq!(names(&latin(b";CHARSET=ISO-8859-5", b"\xbc\xd8\xe0")), ["Мир"]);
    assert_eq!(names(b""), Vec::<String>::new());
    assert_eq!(names(b"BEGIN:VCALENDAR\nEND:VCALENDAR\n"), Vec::<String>::new());
}

#[test]
fn what_is_left_out_is_counted_with_its_line() {
    let broken = [
        card("VERSION:3.0\nFN:Asha\nEMAIL:no address\nTEL:call me\nTEL:112"),
        // No end.
        "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Lost\r\n".to_owned(),
        card("VERSION:4.0\nKIND:group\nFN:Family\nMEMBER:mailto:asha@example.org"),
        card("VERSION:3.0\nX-ADDRESSBOOKSERVER-KIND:group\nFN:Team"),
        card("VERSION:3.0\nNOTE:nothing"),
        card(&format!("VERSION:3.0\nFN:{}", "x".repeat(70_000))),
        "BEGIN:VCARD\r\nFN:Torn".to_owned(),
    ]
    .concat();
    let bad = BAD_ADDRESS.code;
    assert_eq!(
        codes_in(broken.as_bytes()),
        [
            (bad, 1, 3),
            (BROKEN_CARD.code, 8, 1),
            (LIST_OF_PEOPLE.code, 11, 1),
            (LIST_OF_PEOPLE.code, 17, 1),
            (BROKEN_CARD.code, 22, 1),
            (BROKEN_CARD.code, 26, 1),
            (BROKEN_CARD.code, 30, 1),
        ]
    );
    assert_eq!(cards_in(broken.as_bytes()), [("Asha".to_owned(), Vec::new())]);
    let many: Vec<String> = (0..40).map(|n| format!("EMAIL:a{n}@example.org\n")).collect();
    let many = many.concat();
    let many = card(&format!("VERSION:3.0\nFN:A\n{many}NOTE:x"));
    assert_eq!(codes_in(many.as_bytes()), [(bad, 1, 8)]);
    assert_eq!(cards_in(many.as_bytes())[0].1.len(), 32);
    let three = card("FN:A").repeat(3);
    let read = read_cards(three.as_bytes(), 2);
    assert_eq!(read.cards.len(), 2);
    assert!(
        read.skips == [(TOO_MANY_CARDS, 7, 1)],
        "the third of 2 begins in line 7"
    );
}

#[test]
fn a_number_is_its_digits_and_nothing_is_guessed() {
    for (text, number) in [
        ("+44 7700 900123", Some("+447700900123")),
        ("0044 (0)7700/900-123", Some("+447700900123")),
        ("07700 900123", Some("07700900123")),
        ("(020) 7946.0018", Some("02079460018")),
        ("(0)20 7946 0018", Some("02079460018")),
        ("tel:+1-201-555-0123;ext=7", Some("+12015550123")),
        ("+49\u{a0}30\u{2011}901820", Some("+4930901820")),
        ("Asha", None),
        ("Asha 2", None),
        ("112", None),
        ("+", None),
        ("", None),
        ("1234567890123456", None),
        ("12+34567", None),
    ] {
        assert_eq!(phone_number(text).as_deref(), number, "{text}");
    }
}

fn hashed(name: &str, addresses: &[&str]) -> HashedCard {
    HashedCard {
        name: (name != "-").then(|| Arc::from(name)),
        people: addresses
            .iter()
            .map(|address| setup().key.person(address))
            .collect(),
    }
}

fn person(address: &str) -> PersonHash {
    setup().key.person(address)
}

#[test]
fn one_person_is_who_shares_an_address_and_a_name() {
    let cards = [
        hashed("Asha Rao", &["a@work", "a@home"]),
        // The same card in another book, with another address, and a third over that one.
        hashed("asha rao", &["a@home", "+44"]),
        hashed("Asha Rao", &["+44", "a@club"]),
        // Two people of one name share nothing.
        hashed("Kim", &["kim@one"]),
        hashed("Kim", &["kim@two"]),
        // A family's address, and a firm's that stands in two cards.
        hashed("Mira", &["mira@x", "family@x"]),
        hashed("Jonas", &["jonas@x", "family@x", "jonas@y"]),
        hashed("-", &["nameless@x", "family@x"]),
        hashed("Nobody", &[]),
    ];
    let found = group_people(&cards);
    let groups: Vec<Vec<PersonHash>> = [
        ["a@work", "a@home", "+44", "a@club"].as_slice(),
        &["jonas@x", "jonas@y"],
    ]
    .iter()
    .map(|group| group.iter().map(|one| person(one)).collect())
    .collect();
    assert_eq!(found.groups, groups);
    assert_eq!((found.people, found.shared), (7, 1));
    let name = |address: &str| found.names.get(&person(address)).map(ToString::to_string);
    for (address, named) in [
        ("a@club", Some("Asha Rao")),
        ("kim@two", Some("Kim")),
        ("jonas@y", Some("Jonas")),
        ("family@x", None),
        ("nameless@x", None),
    ] {
        assert_eq!(name(address).as_deref(), named, "{address}");
    }
}

fn merged(groups: &[&[&str]]) -> MergedPeople {
    let groups = groups
        .iter()
        .map(|group| group.iter().map(|one| person(one)).collect());
    groups.collect::<Vec<Vec<PersonHash>>>().into()
}

#[test]
fn whoever_stands_for_somebody_goes_on_doing_so() {
    let known = merged(&[&["work", "home"]]);
    let new = vec![["new", "home", "work"].map(person).to_vec()];
    let now = MergedPeople::keeping_firsts(new, &known);
    assert_eq!(now.first(&person("new")), &person("work"));
    assert_eq!(now.first(&person("stranger")), &person("stranger"));
    let stranger = person("stranger");
    assert_eq!(now.all(&stranger).collect::<Vec<_>>(), [&stranger]);
    // Of whom something is kept, and the one that stands for them.
    let state = now.of_whom_is_kept(|one| *one == person("home"));
    assert_eq!(state, merged(&[&["work", "home"]]));
    assert_eq!(
        now.of_whom_is_kept(|one| *one == person("work")),
        MergedPeople::default()
    );
    // As it stands in a state, and what a hand put there.
    let json = serde_json::to_string(&now).unwrap();
    assert_eq!(serde_json::from_str::<MergedPeople>(&json).unwrap(), now);
    assert_eq!(
        merged(&[&["a"], &["b", "b"], &["c", "d"], &["d", "e"]]),
        merged(&[&["c", "d"]])
    );
}

#[test]
fn forgetting_one_address_forgets_the_person() {
    let mut known = merged(&[&["work", "home"], &["other", "more"]]);
    let what = ErasureScope::naming([person("home").as_str().to_owned()]);
    let wide = known.widen(&what);
    assert!(wide.covers_thing(person("work").as_str()) && !wide.covers_thing(person("more").as_str()));
    known.forget(&wide);
    assert_eq!(known, merged(&[&["other", "more"]]));
    known.forget(&ErasureScope::everything());
    assert!(known.is_empty());
}

#[test]
fn a_book_of_thousands_is_read_and_counted() {
    let dir = tempfile::tempdir().unwrap();
    let photo = format!("PHOTO;ENCODING=b:{}\n", "QUJD".repeat(2000));
    let book: String = (0..5000)
        .map(|n| {
            card(&format!(
                "VERSION:3.0\nFN:P{n}\n{photo}EMAIL:p{n}@example.org\nTEL:+4430000{n:05}"
            ))
        })
        .collect();
    std::fs::write(dir.path().join("all.vcf"), &book).unwrap();
    std::fs::write(
        dir.path().join("one.VCF"),
        card("FN:Asha\nEMAIL:asha@example.org"),
    )
    .unwrap();
    std::fs::write(dir.path().join("notes.txt"), "EMAIL:no@example.org").unwrap();
    let count = count_contacts(dir.path(), &setup().key, &|| false);
    assert_eq!(
        (count.people, count.addresses, count.skipped, count.complete),
        (5001, 10_001, 0, true)
    );
    assert!(!count_contacts(dir.path(), &setup().key, &|| true).complete);
}

proptest! {
    #[test]
    fn any_bytes_are_cards_or_skips(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        lines in proptest::collection::vec("(item1\\.)?(FN|EMAIL|TEL|N|ORG|AGENT|PHOTO|END|BEGIN)(;[A-Z=-]{0,20})?:?[ -~]{0,20}", 0..12),
    ) {
        let text = [b"BEGIN:VCARD\r\n".as_slice(), lines.join("\r\n").as_bytes(), b"\r\n", &bytes, b"\r\nEND:VCARD\r\n"].concat();
        let read = read_cards(&text, 3);
        prop_assert!(read.cards.len() <= 3);
        for card in read.cards {
            prop_assert!(card.name.is_none_or(|name| name.chars().count() <= 120));
            prop_assert!(card.addresses.len() <= 32);
        }
    }
}
