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

pub fn refuse(n: u32) -> u32 {
    let left = 5u32.checked_sub(n);
    left.expect("that is too much")
}

pub fn read(text: &str) -> Result<u32, String> {
    let number: u32 = text.parse().map_err(|error| format!("{error}"))?;
    Ok(number + 1)
}

pub fn evens(limit: i32) -> Vec<i32> {
    let mut found = Vec::new();
    let mut left = limit;
    while left > 0 {
        left -= 1;
        found.push(2 * left);
    }
    found
}

pub fn neglected(n: u32) -> u32 {
    n + 1
}
