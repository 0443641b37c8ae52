//! Files that people try first and that hold nothing readable.
//!
//! What: [`unfit`], by a file's first bytes: a spreadsheet, a picture, a document, an archive with a password. Why: whoever chooses one is told what to
//! choose in its place. Not here: the sentences (`surfaces_base::words`), what can be read (`sources`).

use std::{fs::File, io::Read as _, path::Path};
use surfaces_base::backend::source_look::UnfitFile;

/// The first bytes that are looked at.
const HEAD: u64 = 64 * 1024;
/// How a file within an archive begins.
const ENTRY: &[u8] = b"PK\x03\x04";
/// Endings of spreadsheets.
const SHEETS: [&str; 6] = ["xls", "xlsx", "xlsm", "xlsb", "ods", "numbers"];

/// Whether a file's name is one of those that [`unfit`] knows something against.
pub(crate) fn may_be_unfit(path: &Path) -> bool {
    const OTHERS: [&str; 13] = [
        "jpg", "jpeg", "png", "gif", "webp", "heic", "avif", "tif", "tiff", "pdf", "doc", "docx", "odt",
    ];
    let ending = path.extension().and_then(|ending| ending.to_str());
    let ending = ending.unwrap_or_default().to_ascii_lowercase();
    SHEETS.contains(&ending.as_str()) || OTHERS.contains(&ending.as_str())
}

/// Why a file cannot be read as it is; `None`: nothing is known against it.
pub fn unfit(path: &Path) -> Option<UnfitFile> {
    // A pipe would be waited for.
    if !path.is_file() {
        return None;
    }
    let mut head = Vec::new();
    File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    let ending = path.extension().and_then(|ending| ending.to_str());
    by_head(&head, &ending.unwrap_or_default().to_ascii_lowercase())
}

fn by_head(head: &[u8], ending: &str) -> Option<UnfitFile> {
    let is_sheet = SHEETS.contains(&ending);
    let pictures: [&[u8]; 6] = [
        b"\xFF\xD8\xFF",
        b"\x89PNG\r\n",
        b"GIF87a",
        b"GIF89a",
        b"II*\0",
        b"MM\0*",
    ];
    let behind = |at: usize| head.get(at..at + 4).unwrap_or_default();
    let is_picture = pictures.iter().any(|mark| head.starts_with(mark))
        || (head.starts_with(b"RIFF") && behind(8) == b"WEBP")
        || (behind(4) == b"ftyp" && [&b"heic"[..], b"heix", b"mif1", b"avif"].contains(&behind(8)));
    // What the offices wrote before they wrote archives.
    let is_old_office = head.starts_with(b"\xD0\xCF\x11\xE0");
    if is_picture {
        Some(UnfitFile::Picture)
    } else if head.starts_with(ENTRY) {
        // The flags of each entry: the first bit is a password's (APPNOTE 4.4.4).
        let mut entries = flags_of_entries(head);
        let holds = |name: &[u8]| head.windows(name.len()).any(|bytes| bytes == name);
        if entries.any(|flags| flags & 1 == 1) {
            Some(UnfitFile::LockedArchive)
        } else if is_sheet || holds(b"xl/workbook") || holds(b"opendocument.spreadsheet") {
            Some(UnfitFile::Spreadsheet)
        } else if holds(b"word/document") || holds(b"opendocument.text") {
            Some(UnfitFile::Document)
        } else {
            None
        }
    } else if is_old_office && is_sheet {
        Some(UnfitFile::Spreadsheet)
    } else if is_old_office || head.starts_with(b"%PDF-") {
        Some(UnfitFile::Document)
    } else {
        None
    }
}

/// The low flags of the entries of an archive that begin in these bytes.
fn flags_of_entries(head: &[u8]) -> impl Iterator<Item = u8> {
    head.windows(8)
        .filter(|bytes| bytes.starts_with(ENTRY))
        .filter_map(|bytes| bytes.get(6).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_told_by_its_first_bytes() {
        let entry = |flags: u8, name: &str| {
            let mut bytes = b"PK\x03\x04\x14\0".to_vec();
            bytes.extend([flags, 0]);
            bytes.extend(name.as_bytes());
            bytes
        };
        let open = entry(0, "Takeout/Fitbit/sleep.json");
        let locked = [open.clone(), entry(1, "Takeout/b.json")].concat();
        let sheet = [entry(0, "[Content_Types].xml"), entry(0, "xl/workbook.xml")].concat();
        for (name, bytes, expected) in [
            ("a.zip", &open[..], None),
            ("b.zip", &locked, Some(UnfitFile::LockedArchive)),
            ("c.xlsx", &sheet, Some(UnfitFile::Spreadsheet)),
            // Renamed, it stays what it is.
            ("d.csv", &sheet, Some(UnfitFile::Spreadsheet)),
            ("e.xls", b"\xD0\xCF\x11\xE0\xA1", Some(UnfitFile::Spreadsheet)),
            ("f.doc", b"\xD0\xCF\x11\xE0\xA1", Some(UnfitFile::Document)),
            ("g.pdf", b"%PDF-1.7\n", Some(UnfitFile::Document)),
            ("h.jpg", b"\xFF\xD8\xFF\xE0", Some(UnfitFile::Picture)),
            ("i.heic", b"\0\0\0\x18ftypheic", Some(UnfitFile::Picture)),
            ("j.csv", b"Date,Payee,Amount\n", None),
            ("k.csv", b"", None),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(unfit(&path), expected, "{name}");
            assert_eq!(unfit(folder.path()), None);
        }
    }
}
