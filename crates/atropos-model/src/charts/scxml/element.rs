//! XML elements as the SCXML reader sees them: attributes with places, and complaints about what does not belong there.

use crate::charts::chart::{ChartSpan, ChartText};
use crate::charts::names;
use crate::charts::problem::Collector;
use roxmltree::Node;

/// The namespace of W3C's elements.
pub const W3C: &str = "http://www.w3.org/2005/07/scxml";
/// The namespace of ours: OOAS types, references, signatures, instances, `after`.
pub const OWN: &str = "urn:atropos:ooas";

/// An XML element.
#[derive(Clone, Copy)]
pub struct XmlElement<'a> {
    /// The element itself.
    pub node: Node<'a, 'a>,
}

/// Whose element it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementOwner {
    /// SCXML's; a file may leave the namespace out.
    W3c,
    /// Ours.
    Own,
    /// Somebody else's.
    Foreign,
}

impl<'a> XmlElement<'a> {
    /// The element's name without its namespace.
    pub fn name(self) -> &'a str {
        self.node.tag_name().name()
    }

    /// Whose element it is.
    pub fn owner(self) -> ElementOwner {
        match self.node.tag_name().namespace() {
            None | Some(W3C) => ElementOwner::W3c,
            Some(OWN) => ElementOwner::Own,
            Some(_) => ElementOwner::Foreign,
        }
    }

    /// `<` and the name: where complaints about the element point to.
    pub fn head(self) -> ChartSpan {
        let range = self.node.range();
        let text = &self.node.document().input_text()[range.clone()];
        let length = text
            .find(|c: char| c.is_whitespace() || c == '>' || c == '/')
            .unwrap_or(text.len());
        range.start..range.start + length
    }

    /// The child elements.
    pub fn children(self) -> impl Iterator<Item = XmlElement<'a>> {
        self.node
            .children()
            .filter(Node::is_element)
            .map(|node| XmlElement { node })
    }

    /// W3C's child elements of that name.
    pub fn named(self, name: &'static str) -> impl Iterator<Item = XmlElement<'a>> {
        self.children()
            .filter(move |child| child.owner() == ElementOwner::W3c && child.name() == name)
    }

    /// A W3C attribute's value and place.
    pub fn attribute(self, name: &str) -> Option<ChartText> {
        self.find(None, name)
    }

    /// An attribute of ours.
    pub fn own_attribute(self, name: &str) -> Option<ChartText> {
        self.find(Some(OWN), name)
    }

    fn find(self, namespace: Option<&str>, name: &str) -> Option<ChartText> {
        self.node
            .attributes()
            .find(|attribute| attribute.name() == name && attribute.namespace() == namespace)
            .map(|attribute| ChartText::new(attribute.value(), attribute.range_value()))
    }

    /// An attribute that must be there.
    pub fn required(self, name: &str, collector: &mut Collector) -> Option<ChartText> {
        let found = self.attribute(name);
        if found.is_none() {
            collector.advise(
                self.head(),
                format!("`<{}>` needs the attribute `{name}`", self.name()),
                format!("write `{name}=\"…\"`"),
            );
        }
        found
    }

    /// The element's text, where it has nothing but text.
    pub fn text(self) -> Option<ChartText> {
        self.node
            .children()
            .find(Node::is_text)
            .map(|node| ChartText::new(node.text().unwrap_or(""), node.range()))
    }

    /// Complains about attributes that are not among those that mean something here.
    pub fn check_attributes(self, known: &[&str], own: &[&str], collector: &mut Collector) {
        for attribute in self.node.attributes() {
            let here = match attribute.namespace() {
                None => known,
                Some(OWN) => own,
                // What editors keep for themselves.
                Some(_) => continue,
            };
            if here.contains(&attribute.name()) {
                continue;
            }
            let all = known.iter().copied();
            let nothing = format!("`<{}>` takes no attributes", self.name());
            collector.advise(
                attribute.range_qname(),
                format!(
                    "`{}` means nothing on `<{}>` and would be lost",
                    attribute.name(),
                    self.name()
                ),
                names::meant(attribute.name(), all, &nothing),
            );
        }
    }

    /// Complains about text between elements, which would be lost.
    pub fn check_no_text(self, collector: &mut Collector) {
        for child in self.node.children().filter(Node::is_text) {
            let text = child.text().unwrap_or("");
            if !text.trim().is_empty() {
                let start = child.range().start + (text.len() - text.trim_start().len());
                collector.advise(
                    start..start + text.trim().len(),
                    format!("text inside `<{}>` means nothing", self.name()),
                    "put it into an attribute, a comment, or `<at:do>` if it is a statement",
                );
            }
        }
    }

    /// Complains about a child that is not supported here.
    pub fn reject(self, parent: &str, known: &[&'static str], collector: &mut Collector) {
        let name = self.name();
        let message = match self.owner() {
            ElementOwner::Foreign => format!("`<{name}>` belongs to a namespace that is not read"),
            _ => format!("`<{name}>` is not supported inside `<{parent}>`"),
        };
        let advice = match (self.owner(), unsupported(name)) {
            (ElementOwner::Foreign, _) => {
                "remove it: nothing in a chart is silently ignored".to_owned()
            }
            (_, Some(advice)) => advice.to_owned(),
            _ => names::meant(name, known.iter().copied(), "no elements can stand here"),
        };
        collector.advise(self.head(), message, advice);
    }
}

/// What to do instead of using a W3C element that has no translation.
fn unsupported(name: &str) -> Option<&'static str> {
    Some(match name {
        "script" => "write OOAS statements with `<assign>`, `<if>` or `<at:do>`",
        "invoke" | "finalize" => "list the other machines in `<at:instances>` and `<send>` to them",
        "content" => "store the value in a `<data>` variable instead",
        _ => return None,
    })
}
