//! Files that are dropped on a page: who may drop one, what it is told to be, and one that is refused on its way.

use crate::{
    client::proven_cookie,
    settings::{code, owners},
};
use surfaces_base::backend::settings::{
    DroppedFileView, DroppedStage, FoundSourceView, HandedFileView, SourceRef,
};
use toolcall_schema::SourceKind;

#[tokio::test]
async fn a_file_that_is_refused_on_its_way_is_told_so_when_it_has_been_sent() {
    let server = owners(None).await;
    let (own, proven) = (server.host(), proven_cookie(&server).await);
    let page = server.raw("GET /settings", &format!("{own}{proven}"), "").await;
    let (_, token) = page.body.split_once(r#"name="aura-page" content=""#).unwrap();
    let token = token.split('"').next().unwrap();
    let headers = format!(
        "{own}{proven}x-aura-page: {token}\nx-aura-name: large.csv\ncontent-type: application/octet-stream\n"
    );
    let answer = server
        .raw("POST /form/sources/drop", &headers, &"x".repeat(8 << 20))
        .await;
    assert_eq!(answer.status, 200);
    assert!(
        answer.body.contains("That is more than 128 MB"),
        "{}",
        answer.body
    );
}

#[tokio::test]
async fn a_dropped_file_is_taken_from_the_owners_own_browser_alone_and_told_what_it_is() {
    let server = owners(Some(3)).await;
    let (paired, proven) = (server.cookie(), proven_cookie(&server).await);
    let drop = async |cookie: &str, name: &str, more: &str| {
        let page = server
            .raw("GET /settings", &format!("{}{cookie}", server.host()), "")
            .await;
        let (_, token) = page.body.split_once(r#"name="aura-page" content=""#).unwrap();
        let token = token.split('"').next().unwrap();
        let headers = format!(
            "{}{cookie}x-aura-page: {token}\nx-aura-name: {name}\ncontent-type: application/octet-stream\n{more}",
            server.host()
        );
        server
            .raw("POST /form/sources/drop", &headers, "Date,Payee")
            .await
    };
    // From another browser of the owner's it waits, and is not looked into.
    let waits = drop(&paired, "a.csv", "").await.body;
    assert!(
        waits.contains("a.csv") && waits.contains("It waits.") && !waits.contains("data-"),
        "{waits}"
    );
    for name in ["b.ics", "todo.txt", "d.vcf"] {
        let told = drop(&paired, name, "").await.body;
        assert!(
            told.contains("save this on Aura's computer") && !told.contains("data-"),
            "{told}"
        );
    }
    assert_eq!(
        code(&drop(&proven, "a%zz", "").await),
        (400, "WEB-007".to_owned())
    );
    let taken = drop(&proven, "Kontoausz%C3%BCge.csv", "").await;
    for says in [
        r#"data-allow="finance" data-path="/dev/shm/10""#,
        "Kontoausz\u{fc}ge.csv",
        r#"data-look="finance" data-path="/dev/shm/10""#,
    ] {
        assert!(taken.body.contains(says), "{says}: {}", taken.body);
    }
    for (name, says) in [
        ("b.ics", "A calendar changes, and I read it where it changes."),
        (
            "todo.txt",
            "A list of tasks changes, and I read it where it changes.",
        ),
        ("c.jpg", "This is a picture, and I read none."),
    ] {
        let told = drop(&proven, name, "").await.body;
        assert!(told.contains(says) && !told.contains("data-allow"), "{told}");
    }

    // An address book is looked into, and chosen where it lies.
    let book = drop(&proven, "d.vcf", "").await.body;
    for says in [
        r#"data-look="contacts" data-path="/dev/shm/d.vcf""#,
        "Save this file in a folder that stays",
    ] {
        assert!(
            book.contains(says) && !book.contains("data-allow"),
            "{says}: {book}"
        );
    }

    // What became of it stands where it says how much was read, even without any source.
    {
        let mut home = server.double.home.lock().unwrap();
        let home = home.as_mut().unwrap();
        home.sources.clear();
        home.dropped = vec![DroppedFileView {
            name: "May <1>.csv".to_owned(),
            kind: SourceKind::Finance,
            stage: DroppedStage::Reading,
        }];
    }
    let page = server.get("/welcome/3").await.body;
    for says in ["May &lt;1&gt;.csv", "I am reading it.", r#"data-again-ms="1500""#] {
        assert!(page.contains(says), "{says}: {page}");
    }
    assert!(server.get("/welcome/6").await.body.contains("data-tick"));
}

#[tokio::test]
async fn what_a_device_handed_over_stands_in_the_proven_browser_alone_with_one_button() {
    let server = owners(Some(3)).await;
    server.double.home.lock().unwrap().as_mut().unwrap().handed = vec![HandedFileView {
        found: FoundSourceView {
            source: SourceRef {
                list: SourceKind::Finance,
                path: "/dev/shm/handed".to_owned(),
            },
            program: "May <1>.csv".to_owned(),
            place: String::new(),
        },
        from: "my <phone>".to_owned(),
        bytes: 1_234_567,
    }];
    let page = async |cookie: &str| {
        let headers = format!("{}{cookie}", server.host());
        server.raw("GET /settings", &headers, "").await.body
    };
    let proven = page(&proven_cookie(&server).await).await;
    for says in [
        "Handed over by your devices",
        r#"<input type="checkbox" checked data-allow="finance" data-path="/dev/shm/handed">"#,
        "May &lt;1&gt;.csv",
        "From “my &lt;phone&gt;”, 1.2 MB.",
        r#"data-look="finance" data-path="/dev/shm/handed""#,
    ] {
        assert!(proven.contains(says), "{says}: {proven}");
    }
    let paired = page(&server.cookie()).await;
    assert!(
        !paired.contains("/dev/shm/handed") && paired.contains("Hand a file over"),
        "{paired}"
    );
}
