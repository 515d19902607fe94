//! The library half.

pub fn parse(words: &[String]) -> Result<u32, String> {
    let numbers: Result<Vec<u32>, _> = words.iter().map(|word| word.parse::<u32>()).collect();
    match numbers {
        Ok(numbers) if numbers.len() == 2 => Ok(shapes::area(numbers[0], numbers[1])),
        Ok(numbers) => Err(format!("{} numbers", numbers.len())),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn one_number_is_too_few() {
        assert_eq!(super::parse(&["3".into()]), Err("1 numbers".into()));
    }
}
