//! The screen of a review: the changes above, all that is known of one below, the keys at the bottom.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, List, ListItem, ListState, Paragraph, Wrap};

use super::{Change, Mode, Review};

/// Draws everything.
pub fn draw(frame: &mut Frame, review: &Review) {
    let height = frame.area().height;
    let rows = [
        Constraint::Length((height / 3).max(4)),
        Constraint::Min(3),
        Constraint::Length(1),
    ];
    let [above, below, bottom] = Layout::vertical(rows).areas(frame.area());
    let shown = review.shown();
    let items = shown.iter().map(|&index| item(&review.changes[index]));
    let filter = match review.filter.as_str() {
        "" => String::new(),
        filter => format!(", with “{filter}”"),
    };
    let title = format!(
        " {} of {} that no test notices{filter} ",
        shown.len(),
        review.changes.len()
    );
    let list = List::new(items)
        .block(Block::default().borders(Borders::TOP).title(title))
        .highlight_style(Style::default().add_modifier(Modifier::REVERSED));
    let mut state = ListState::default().with_selected(review.current().map(|_| review.selected));
    frame.render_stateful_widget(list, above, &mut state);
    let page = review.current().map(|index| page(&review.changes[index]));
    let page = Paragraph::new(page.unwrap_or_default())
        .wrap(Wrap { trim: false })
        .scroll((review.scroll, 0))
        .block(Block::default().borders(Borders::TOP));
    frame.render_widget(page, below);
    frame.render_widget(Paragraph::new(status(review)), bottom);
}

fn item(change: &Change) -> ListItem<'static> {
    let record = &change.record;
    let rank = record
        .rank
        .map_or_else(String::new, |rank| format!("{rank:>3}. "));
    let mark = if change.is_accepted { "accepted: " } else { "" };
    let item = ListItem::new(format!("{rank}{mark}{}", record.info.name()));
    match change.is_accepted {
        true => item.style(Style::default().fg(Color::DarkGray)),
        false => item,
    }
}

/// What `show` prints, with the change in colours.
fn page(change: &Change) -> Vec<Line<'_>> {
    let coloured = |line: &'static str, colour| (line, Style::default().fg(colour));
    let styles = [
        coloured("-", Color::Red),
        coloured("+", Color::Green),
        coloured("@@", Color::Cyan),
    ];
    let style = |line: &str| {
        let found = styles.iter().find(|(start, _)| line.starts_with(start));
        found.map_or_else(Style::default, |(_, style)| *style)
    };
    change
        .page
        .lines()
        .map(|line| Line::styled(line, style(line)))
        .collect()
}

fn status(review: &Review) -> String {
    match &review.mode {
        Mode::Filter => format!(
            "words: {}▏ (Enter keeps them, Esc shows all)",
            review.filter
        ),
        Mode::Accept(reason) if review.message.is_empty() => {
            format!("reason: {reason}▏ (Enter accepts, Esc does not)")
        }
        Mode::Accept(reason) => format!("reason: {reason}▏ ({})", review.message),
        Mode::Browse if !review.message.is_empty() => review.message.clone(),
        Mode::Browse => {
            "j/k next/previous  / filter  a accept  e editor  PgUp/PgDn scroll  q leave".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::crossterm::event::{KeyCode, KeyEvent};

    use super::*;
    use crate::review::tests::review_of;

    fn drawn(review: &Review) -> String {
        let mut terminal = Terminal::new(TestBackend::new(60, 16)).unwrap();
        terminal.draw(|frame| draw(frame, review)).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn the_changes_the_one_that_is_looked_at_and_the_keys_are_shown() {
        let mut review = review_of(&["one", "two"]);
        let text = drawn(&review);
        for part in [
            " 2 of 2 that no test notices ",
            "  1. src/lib.rs:10:1: replace + with - in fn one [AOR]",
            "page of one",
            "+a - b",
            "a accept",
        ] {
            assert!(text.contains(part), "no {part:?} in\n{text}");
        }
        for letter in "/two".chars() {
            review.key(KeyEvent::from(KeyCode::Char(letter)));
        }
        let text = drawn(&review);
        for part in ["1 of 2", "page of two", "words: two"] {
            assert!(text.contains(part), "no {part:?} in\n{text}");
        }
    }
}
