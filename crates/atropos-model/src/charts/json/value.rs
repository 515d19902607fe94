//! JSON whose objects keep the order in which they are written: the order of states means something.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// Texts without escapes are those of the source itself, so that their places are known.
#[derive(Clone, Debug, PartialEq)]
pub enum Json<'s> {
    Null,
    Bool(bool),
    Number(f64),
    Text(Cow<'s, str>),
    List(Vec<Json<'s>>),
    Object(Vec<(Cow<'s, str>, Json<'s>)>),
}

/// A name in an object; kept as it stands in the source where it can be.
struct Name<'s>(Cow<'s, str>);

impl<'s> Json<'s> {
    pub fn get(&self, name: &str) -> Option<&Json<'s>> {
        self.entries()
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }

    /// The entries of an object.
    pub fn entries(&self) -> &[(Cow<'s, str>, Json<'s>)] {
        match self {
            Json::Object(entries) => entries,
            _ => &[],
        }
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list; anything else but nothing is a list of one.
    pub fn items(&self) -> Vec<&Json<'s>> {
        match self {
            Json::List(items) => items.iter().collect(),
            Json::Null => Vec::new(),
            one => vec![one],
        }
    }
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json<'de>, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name<'de>, D::Error> {
        match Json::deserialize(deserializer)? {
            Json::Text(text) => Ok(Name(text)),
            _ => Err(serde::de::Error::custom("a name is a text")),
        }
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(value.to_string())))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json<'de>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json<'de>, A::Error> {
        let mut entries = Vec::new();
        let mut names = HashSet::new();
        while let Some((Name(name), value)) = map.next_entry()? {
            if !names.insert(name.to_string()) {
                let message = format!("the name `{name}` stands twice in one object");
                return Err(serde::de::Error::custom(message));
            }
            entries.push((name, value));
        }
        Ok(Json::Object(entries))
    }
}
