use std::collections::HashMap;

enum Json {
    Null,
    Bool(bool),
    Number(i64),
    Text(String),
    Items(Vec<Json>),
    Object(HashMap<String, Json>),
}

type Parsed<T> = Result<T, String>;

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> u8 { if self.at < self.text.len() { self.text[self.at] } else { 0 } }
    fn skip(&mut self) { while self.at < self.text.len() && self.text[self.at] <= 32 { self.at += 1; } }
    fn expect(&mut self, c: u8) -> Parsed<()> {
        self.skip();
        if self.peek() != c { return Err(format!("expected {} at {}", c, self.at)); }
        self.at += 1;
        Ok(())
    }
    fn value(&mut self) -> Parsed<Json> {
        self.skip();
        match self.peek() {
            b'{' => self.object(),
            b'[' => self.items(),
            b'"' => Ok(Json::Text(self.string()?)),
            b't' => { self.at += 4; Ok(Json::Bool(true)) }
            b'f' => { self.at += 5; Ok(Json::Bool(false)) }
            b'n' => { self.at += 4; Ok(Json::Null) }
            _ => Ok(Json::Number(self.number()?)),
        }
    }
    fn number(&mut self) -> Parsed<i64> {
        let negative = self.peek() == b'-';
        if negative { self.at += 1; }
        if !self.peek().is_ascii_digit() { return Err(format!("expected a value at {}", self.at)); }
        let mut n = 0i64;
        while self.peek().is_ascii_digit() {
            n = n * 10 + (self.peek() - b'0') as i64;
            self.at += 1;
        }
        Ok(if negative { -n } else { n })
    }
    fn string(&mut self) -> Parsed<String> {
        self.expect(b'"')?;
        let start = self.at;
        while self.peek() != b'"' {
            if self.at >= self.text.len() { return Err("a text without end".to_string()); }
            self.at += 1;
        }
        self.at += 1;
        String::from_utf8(self.text[start..self.at - 1].to_vec()).map_err(|e| e.to_string())
    }
    fn items(&mut self) -> Parsed<Json> {
        self.expect(b'[')?;
        let mut found = Vec::new();
        self.skip();
        if self.peek() == b']' { self.at += 1; return Ok(Json::Items(found)); }
        loop {
            found.push(self.value()?);
            self.skip();
            if self.peek() != b',' { break; }
            self.at += 1;
        }
        self.expect(b']')?;
        Ok(Json::Items(found))
    }
    fn object(&mut self) -> Parsed<Json> {
        self.expect(b'{')?;
        let mut fields = HashMap::new();
        self.skip();
        if self.peek() == b'}' { self.at += 1; return Ok(Json::Object(fields)); }
        loop {
            self.skip();
            let key = self.string()?;
            self.expect(b':')?;
            let value = self.value()?;
            fields.insert(key, value);
            self.skip();
            if self.peek() != b',' { break; }
            self.at += 1;
        }
        self.expect(b'}')?;
        Ok(Json::Object(fields))
    }
}

fn total(json: &Json) -> i64 {
    match json {
        Json::Null => 0,
        Json::Bool(b) => if *b { 1 } else { 2 },
        Json::Number(n) => *n,
        Json::Text(s) => s.len() as i64,
        Json::Items(items) => items.iter().map(total).sum(),
        Json::Object(fields) => fields.iter().map(|(key, value)| key.len() as i64 + total(value)).sum(),
    }
}

fn make_text(n: i64) -> String {
    let mut parts = Vec::new();
    for i in 0..n {
        parts.push(format!(
            "{{\"id\": {}, \"name\": \"person number {}\", \"tags\": [\"a{}\", \"bb\", \"a longer tag with spaces\"], \"on\": {}, \"nested\": {{\"x\": {}, \"y\": null}}}}",
            i, i, i % 10, if i % 2 == 0 { "true" } else { "false" }, -i
        ));
    }
    format!("[{}]", parts.join(", "))
}

fn main() {
    let text = make_text(std::env::args().nth(1).map_or(40000, |a| a.parse().unwrap()));
    let mut sum = 0;
    for _ in 0..5 { sum += total(&Parser { text: text.as_bytes(), at: 0 }.value().unwrap()); }
    println!("{} {}", text.len(), sum);
}
