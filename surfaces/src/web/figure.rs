//! A picture's markup.
//!
//! What: SVG of a picture, with its sentence and the table behind it. Why: drawn on the server, it needs no script, and a screen reader
//! gets the same. Not here: what is drawn (`render::picture`).

use super::icons::{EmptyDrawing, IconName, drawing, icon};
use crate::render::picture::{HEADROOM, PictureShape, PictureView, TextAnchor, WIDTH};
use maud::{Markup, html};
use std::fmt::Write as _;
use surfaces_base::words;

/// So many of what was said or done stand below a picture, the newest; all of it stands in its table.
const SPOKE_MAX: usize = 5;

/// A picture under its heading.
pub(super) fn figure(picture: &PictureView) -> Markup {
    let id = |part: &str| format!("{}-{part}", picture.name);
    html! {
        section aria-labelledby=(id("title")) {
            h2 id=(id("title")) { (icon(icon_of(picture.name))) (picture.title) }
            @if picture.is_empty() {
                figure.empty {
                    (drawing(EmptyDrawing::Chart))
                    figcaption id=(id("says")) { (picture.says) }
                }
            } @else {
                figure {
                    @if !picture.is_one_dot() {
                        @let ends = picture.axis_ends();
                        @if let Some([_, highest]) = &ends { p.axis-end aria-hidden="true" { (highest) } }
                        svg.picture viewBox={ "0 " (-HEADROOM) " " (WIDTH) " " (picture.height + HEADROOM) } role="img"
                            aria-labelledby={ (id("title")) " " (id("says")) } {
                            @for shape in &picture.shapes { (drawn(shape, picture.height)) }
                        }
                        @if let Some([lowest, _]) = &ends { p.axis-end aria-hidden="true" { (lowest) } }
                    }
                    figcaption id=(id("says")) { (picture.says) }
                }
                @if !picture.spoke.is_empty() {
                    p.says { (words::PICTURE_SPOKE) }
                    ul.rows {
                        @for (said, trace) in picture.spoke.iter().rev().take(SPOKE_MAX).rev() {
                            li { a.what href={ "/trace/" (trace) } data-drawer=(trace) { (said) } }
                        }
                    }
                    @if picture.spoke.len() > SPOKE_MAX { p.more { a href="/history/days" { (words::HISTORY) } } }
                }
                details {
                    summary { (words::AS_TABLE) }
                    table {
                        caption.visually-hidden { (picture.title) }
                        thead { tr { @for head in &picture.head { th scope="col" { (head) } } } }
                        tbody {
                            @for (number, row) in picture.rows.iter().enumerate() {
                                tr {
                                    @for (column, cell) in row.iter().enumerate() {
                                        @if column == 0 { th scope="row" { (cell) } }
                                        @else if let Some(event) = picture.events.get(&number) {
                                            td { a href={ "/calendar/" (event) } { bdi { (cell) } } }
                                        } @else { td { (cell) } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn icon_of(picture: &str) -> IconName {
    match picture {
        "spending" | "days" => IconName::Bars,
        "day" => IconName::Agenda,
        _ => IconName::Curve,
    }
}

fn drawn(shape: &PictureShape, height: f64) -> Markup {
    match shape {
        PictureShape::Line(ink, points) => {
            let mut path = String::new();
            for (x, y) in points {
                // Writing to a string cannot fail.
                let _ = write!(path, "{},{} ", number(*x), number(*y));
            }
            html! { polyline class=(ink.class()) points=(path.trim_end()) {} }
        }
        PictureShape::Box(ink, [x, y, width, height]) => html! {
            rect class=(ink.class()) x=(number(*x)) y=(number(*y)) width=(number(width.max(0.0)))
                height=(number(height.max(0.0))) rx="2" {}
        },
        // No link: within a picture it could not be reached by keyboard, and the table behind it has one.
        PictureShape::Event(ink, [x, y, width, height], event, name) => html! {
            rect class=(ink.class()) data-goes={ "/calendar/" (event) } x=(number(*x)) y=(number(*y)) width=(number(width.max(0.0)))
                height=(number(height.max(0.0))) rx="2" { title { (name) } }
        },
        PictureShape::Dot(ink, (x, y)) => html! {
            circle class=(ink.class()) cx=(number(*x)) cy=(number(*y)) r="4" {}
        },
        // Its target is as high as the sheet, so that a finger finds it; the words stand above, where no line is.
        PictureShape::Reading((from, to), (x, y), words) => html! {
            g.reading {
                rect x=(number(*from)) y="0" width=(number((to - from).max(0.0))) height=(number(height)) {}
                circle cx=(number(*x)) cy=(number(*y)) r="4" {}
                text x=(number(WIDTH)) y=(number(8.0 - HEADROOM)) text-anchor="end" { (words) }
            }
        },
        PictureShape::Text(held, (x, y), text) => {
            let anchor = match held {
                TextAnchor::Start => "start",
                TextAnchor::Middle => "middle",
                TextAnchor::End => "end",
            };
            html! { text x=(number(*x)) y=(number(*y)) text-anchor=(anchor) { (text) } }
        }
    }
}

/// A coordinate: a tenth of a unit is less than a pixel.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}
