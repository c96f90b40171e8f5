//! Reads `MessagePack`, the form the model is published in, as far as the model uses it.

/// A value; texts and bytes are the same, as the model mixes them.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'a> {
    Nothing,
    Integer(i64),
    Bytes(&'a [u8]),
    List(Vec<Self>),
    Table(Vec<(Self, Self)>),
}

/// How deep values may be inside each other.
const DEPTH: usize = 16;

/// Reads the one value that some bytes are.
pub(super) fn read(bytes: &[u8]) -> Option<Value<'_>> {
    let mut reader = Reader { rest: bytes };
    let value = reader.value(DEPTH)?;
    reader.rest.is_empty().then_some(value)
}

impl<'a> Value<'a> {
    /// Returns what a table has under a name.
    pub fn get(&self, name: &str) -> Option<&Self> {
        let entry = self.entries().iter().find(|(key, _)| *key == Value::Bytes(name.as_bytes()))?;
        Some(&entry.1)
    }

    /// Returns what a table has under a number.
    pub fn get_number(&self, number: i64) -> Option<&Self> {
        let entry = self.entries().iter().find(|(key, _)| *key == Value::Integer(number))?;
        Some(&entry.1)
    }

    pub fn entries(&self) -> &[(Self, Self)] {
        if let Self::Table(entries) = self { entries } else { &[] }
    }

    pub fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }

    pub fn bytes(&self) -> Option<&'a [u8]> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    pub fn text(&self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Option<Value<'a>> {
        let depth = depth.checked_sub(1)?;
        let form = self.byte()?;
        Some(match form {
            0x00..=0x7f => Value::Integer(i64::from(form)),
            0x80..=0x8f => self.table(usize::from(form & 0x0f), depth)?,
            0x90..=0x9f => self.list(usize::from(form & 0x0f), depth)?,
            0xa0..=0xbf => Value::Bytes(self.take(usize::from(form & 0x1f))?),
            0xc0 => Value::Nothing,
            0xc2 | 0xc3 => Value::Integer(i64::from(form & 1)),
            0xc4 | 0xd9 => self.sized(1)?,
            0xc5 | 0xda => self.sized(2)?,
            0xc6 | 0xdb => self.sized(4)?,
            0xcc..=0xcf => Value::Integer(i64::try_from(self.unsigned(1 << (form - 0xcc))?).ok()?),
            0xdc | 0xdd => {
                let count = self.size(2 << (form - 0xdc))?;
                self.list(count, depth)?
            }
            0xde | 0xdf => {
                let count = self.size(2 << (form - 0xde))?;
                self.table(count, depth)?
            }
            0xe0..=0xff => Value::Integer(i64::from(form.cast_signed())),
            _ => return None,
        })
    }

    fn list(&mut self, count: usize, depth: usize) -> Option<Value<'a>> {
        (0..count).map(|_| self.value(depth)).collect::<Option<_>>().map(Value::List)
    }

    fn table(&mut self, count: usize, depth: usize) -> Option<Value<'a>> {
        let mut entry = || Some((self.value(depth)?, self.value(depth)?));
        (0..count).map(|_| entry()).collect::<Option<_>>().map(Value::Table)
    }

    fn sized(&mut self, width: usize) -> Option<Value<'a>> {
        let size = self.size(width)?;
        self.take(size).map(Value::Bytes)
    }

    fn size(&mut self, width: usize) -> Option<usize> {
        usize::try_from(self.unsigned(width)?).ok()
    }

    fn unsigned(&mut self, width: usize) -> Option<u64> {
        let bytes = self.take(width)?;
        Some(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_what_is_cut_off_is_refused() {
        let whole = b"\x82\xa1a\x92\x01\xff\xc4\x01b\xcd\x01\x00";
        let value = read(whole).unwrap();
        assert_eq!(value.get("a").unwrap().items(), [Value::Integer(1), Value::Integer(-1)]);
        assert_eq!(value.get("b"), Some(&Value::Integer(256)));
        for end in 0..whole.len() {
            assert_eq!(read(&whole[..end]), None);
        }
        assert_eq!(read(b"\x01\x01"), None);
        assert_eq!(read(&[0x91; 100]), None);
    }
}
