//! How types of `atropos-protocol`, which has no dependencies and so knows nothing of serde, are written into JSON: by their
//! words, with dashes for spaces. For `#[serde(with = "…")]`.

/// [`atropos_protocol::FailureKind`].
pub mod failure_kind {
    use atropos_protocol::FailureKind;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub fn serialize<S: Serializer>(kind: &FailureKind, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&kind.word().replace(' ', "-"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<FailureKind, D::Error> {
        let word = String::deserialize(deserializer)?;
        super::parse_failure_kind(&word).ok_or_else(|| {
            let known = FailureKind::GENERAL.map(FailureKind::word).join(", ");
            de::Error::custom(format!("`{word}` is none of: {}", known.replace(' ', "-")))
        })
    }
}

/// Numbers by [`atropos_protocol::FailureKind`].
pub mod by_failure_kind {
    use std::collections::BTreeMap;

    use atropos_protocol::FailureKind;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub fn serialize<S: Serializer>(
        counts: &BTreeMap<FailureKind, usize>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let word = |kind: &FailureKind| kind.word().replace(' ', "-");
        serializer.collect_map(counts.iter().map(|(kind, count)| (word(kind), count)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<FailureKind, usize>, D::Error> {
        let counts = BTreeMap::<String, usize>::deserialize(deserializer)?;
        let parse = |(word, count): (String, usize)| match super::parse_failure_kind(&word) {
            Some(kind) => Ok((kind, count)),
            None => Err(de::Error::custom(format!(
                "`{word}` is no way to be killed"
            ))),
        };
        counts.into_iter().map(parse).collect()
    }
}

/// [`atropos_protocol::communication::InteractionKind`].
pub mod interaction_kind {
    use atropos_protocol::communication::InteractionKind;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub fn serialize<S: Serializer>(
        kind: &InteractionKind,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(kind.word())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<InteractionKind, D::Error> {
        let word = String::deserialize(deserializer)?;
        InteractionKind::parse(&word)
            .ok_or_else(|| de::Error::custom(format!("`{word}` is no kind of interaction")))
    }
}

fn parse_failure_kind(word: &str) -> Option<atropos_protocol::FailureKind> {
    atropos_protocol::FailureKind::from_word(&word.replace('-', " "))
        .filter(|kind| kind.general() == *kind)
}
