//! Functions that mean well.

pub fn rounded(n: u32) -> u32 {
    (n + 5) / 10 * 10
}

pub fn join(words: &[&str], between: &str) -> String {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() {
            text.push_str(between);
        }
        text.push_str(word);
    }
    text
}

pub fn weight(n: u32) -> u32 {
    n * 12
}

pub fn refuse(n: u32) {
    if n > 5 {
        panic!("{n} is too much");
    }
}

pub fn read(text: &str) -> Result<u32, String> {
    let number: u32 = text.parse().map_err(|error| format!("{error}"))?;
    Ok(number + 1)
}

pub fn neglected(n: u32) -> u32 {
    n + 1
}
