//! An XMI document as the UML reader sees it: elements with types, ids, references and places.

use crate::charts::chart::{ChartSpan, ChartText};
use roxmltree::{Document, Node};
use std::collections::HashMap;

/// An element of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element<'a> {
    pub node: Node<'a, 'a>,
}

/// All elements by their ids.
pub struct Ids<'a> {
    elements: HashMap<&'a str, Element<'a>>,
}

impl<'a> Ids<'a> {
    pub fn of(document: &'a Document<'a>) -> Self {
        let elements = document.descendants().filter(Node::is_element);
        let elements = elements.map(|node| Element { node });
        let elements = elements.filter_map(|element| Some((element.id()?, element)));
        Ids {
            elements: elements.collect(),
        }
    }

    pub fn get(&self, id: &str) -> Option<Element<'a>> {
        self.elements.get(id).copied()
    }

    /// The signal, reception or operation of that name.
    pub fn declaring(&self, name: &str) -> Option<Element<'a>> {
        let declares = |element: &&Element| {
            let is_kind = element.kind() == "Signal" || element.tag() == "ownedOperation";
            is_kind && element.name().is_some_and(|own| own.text == name)
        };
        let found = self.elements.values().filter(declares);
        found
            .copied()
            .min_by_key(|element| element.node.range().start)
    }

    /// The element that an attribute or a child element refers to.
    pub fn referred(&self, element: Element<'a>, name: &str) -> Option<Element<'a>> {
        self.get(&element.reference(name)?.text)
    }
}

impl<'a> Element<'a> {
    /// The element's name, such as `subvertex`.
    pub fn tag(self) -> &'a str {
        self.node.tag_name().name()
    }

    fn of_xmi(self, name: &str) -> Option<&'a str> {
        let mut attributes = self.node.attributes();
        let found = attributes.find(|a| {
            let namespace = a.namespace().unwrap_or("");
            a.name() == name && (namespace.contains("XMI") || namespace.contains("XMLSchema"))
        });
        found.map(|a| a.value())
    }

    pub fn id(self) -> Option<&'a str> {
        self.of_xmi("id").or_else(|| self.node.attribute("id"))
    }

    /// Its type without the namespace, such as `ChartState`.
    pub fn kind(self) -> &'a str {
        let kind = self.of_xmi("type").unwrap_or("");
        kind.rsplit(':').next().unwrap_or("")
    }

    pub fn children(self) -> impl Iterator<Item = Element<'a>> {
        let children = self.node.children().filter(Node::is_element);
        children.map(|node| Element { node })
    }

    pub fn named(self, tag: &'a str) -> impl Iterator<Item = Element<'a>> {
        self.children().filter(move |child| child.tag() == tag)
    }

    pub fn child(self, tag: &'a str) -> Option<Element<'a>> {
        self.named(tag).next()
    }

    pub fn parent(self) -> Option<Element<'a>> {
        let parent = self.node.parent().filter(Node::is_element);
        parent.map(|node| Element { node })
    }

    /// An attribute's value and place.
    pub fn attribute(self, name: &str) -> Option<ChartText> {
        let mut attributes = self.node.attributes();
        let found = attributes.find(|a| a.name() == name && a.namespace().is_none());
        found.map(|a| ChartText::new(a.value(), a.range_value()))
    }

    /// What an attribute says, or a child element of that name with text.
    pub fn value(self, name: &'a str) -> Option<ChartText> {
        self.attribute(name).or_else(|| {
            let child = self.child(name)?;
            let text = child.node.children().find(Node::is_text)?;
            Some(ChartText::new(text.text().unwrap_or(""), text.range()))
        })
    }

    /// The name, where it has one.
    pub fn name(self) -> Option<ChartText> {
        self.attribute("name")
            .filter(|name| !name.text.trim().is_empty())
    }

    /// The id that an attribute holds, or a child element's `xmi:idref`; several ids give the first.
    pub fn reference(self, name: &str) -> Option<ChartText> {
        if let Some(mut ids) = self.attribute(name) {
            let first = ids.text.split_whitespace().next().unwrap_or("").to_owned();
            ids.text = first;
            return Some(ids);
        }
        let child = self.children().find(|child| child.tag() == name)?;
        let id = child.of_xmi("idref").or_else(|| child.id())?;
        Some(ChartText::new(id, child.head()))
    }

    /// What a child element of that name refers to in another file.
    pub fn foreign(self, name: &str) -> Option<ChartText> {
        let child = self.children().find(|child| child.tag() == name)?;
        child.attribute("href")
    }

    /// `<` and the name: where complaints about the element point to.
    pub fn head(self) -> ChartSpan {
        let range = self.node.range();
        let text = &self.node.document().input_text()[range.clone()];
        let end = text.find(|c: char| c.is_whitespace() || c == '>' || c == '/');
        range.start..range.start + end.unwrap_or(text.len())
    }
}
