//! The messages between this process and a sandboxed one: length-prefixed marshal frames.
//!
//! What comes back was written by hostile code: every reading checks length, shape and type, and an odd one is `None`.

use num_traits::ToPrimitive;

use crate::observe::{Observation, Raised, Status, Value, marshal};

/// Every frame starts with its length in four bytes.
pub(super) const PREFIX: usize = 4;

/// How a reply that carries a value begins: a tuple of four, the first of them 1.
const A_VALUE: &[u8] = b"(\x04\0\0\0i\x01\0\0\0";

/// One message from a confined process.
#[derive(Debug, PartialEq)]
pub(super) enum Reply {
    /// The module has been executed; a call follows.
    Loaded,
    /// What a call came to.
    Done(Observation),
    /// The rest needs a fresh process: calls of this module reach beyond it.
    Again,
    /// The module itself raised: no call can be made.
    BrokenModule(Observation),
    /// The truth of an assert's expression.
    Truth(bool),
}

impl Reply {
    pub(super) fn read(frame: &[u8]) -> Option<Self> {
        let fields = match marshal::decode(frame) {
            Ok(Value::Tuple(fields)) => fields,
            // A value that marshal writes and we do not read: too deep, too many parts, or code.
            Err(_) if frame.starts_with(A_VALUE) => return Some(Reply::Done(Observation::bare(Status::Opaque))),
            _ => return None,
        };
        let mut fields = fields.into_iter();
        let code = int(fields.next()?)?;
        let mut next = || fields.next();
        let reply = match code {
            0 => {
                next()?;
                Reply::Loaded
            }
            1 => {
                let value = next()?;
                Reply::Done(Observation { value: Some(value), ..ending(Status::Value, next()?, next()?)? })
            }
            2 => {
                let raised = raised(next()?, next()?)?;
                Reply::Done(Observation { error: Some(raised), ..ending(Status::Exception, next()?, next()?)? })
            }
            3 => Reply::Done(ending(Status::Opaque, next()?, next()?)?),
            4 => Reply::Done(ending(Status::Killed, next()?, next()?)?),
            5 => Reply::Again,
            6 => {
                let raised = raised(next()?, next()?)?;
                Reply::BrokenModule(Observation { error: Some(raised), ..Observation::bare(Status::Exception) })
            }
            7 => Reply::Truth(bool(next()?)?),
            _ => return None,
        };
        fields.next().is_none().then_some(reply)
    }
}

fn ending(status: Status, printed: Value, changed: Value) -> Option<Observation> {
    let Value::Bytes(printed) = printed else { return None };
    let stdout = String::from_utf8_lossy(&printed).into_owned();
    Some(Observation { stdout, args_changed: bool(changed)?, ..Observation::bare(status) })
}

fn raised(kind: Value, message: Value) -> Option<Raised> {
    Some(Raised { kind: text(kind)?, message: text(message)? })
}

fn int(value: Value) -> Option<u8> {
    if let Value::Int(number) = value { number.to_u8() } else { None }
}

fn bool(value: Value) -> Option<bool> {
    if let Value::Bool(flag) = value { Some(flag) } else { None }
}

fn text(value: Value) -> Option<String> {
    if let Value::Str(bytes) = value { Some(String::from_utf8_lossy(&bytes).into_owned()) } else { None }
}

/// A frame under construction: a marshalled tuple.
pub(super) struct Frame {
    bytes: Vec<u8>,
    fields: u32,
}

/// Where the tuple's field count stands: after the length and the type.
const COUNT: usize = PREFIX + 1;

impl Frame {
    pub(super) fn new() -> Self {
        let mut bytes = vec![0; PREFIX];
        bytes.push(b'(');
        bytes.extend([0; 4]);
        Self { bytes, fields: 0 }
    }

    pub(super) fn value(mut self, value: &Value) -> Self {
        self.bytes.extend(marshal::encode(value));
        self.fields += 1;
        self
    }

    pub(super) fn text(mut self, text: &str) -> Self {
        self.bytes.push(b'u');
        self.sized(text.as_bytes());
        self
    }

    pub(super) fn data(mut self, data: &[u8]) -> Self {
        self.bytes.push(b's');
        self.sized(data);
        self
    }

    pub(super) fn number(self, number: u64) -> Self {
        self.value(&Value::Int(number.into()))
    }

    pub(super) fn flag(self, flag: bool) -> Self {
        self.value(&Value::Bool(flag))
    }

    /// A list of (name, list of arguments).
    pub(super) fn calls<'c>(mut self, calls: impl ExactSizeIterator<Item = (&'c str, &'c [u8])>) -> Self {
        self.bytes.push(b'[');
        self.count(calls.len());
        for (name, args) in calls {
            self.bytes.push(b'(');
            self.count(2);
            self.bytes.push(b'u');
            self.count(name.len());
            self.bytes.extend(name.as_bytes());
            self.bytes.extend(args);
        }
        self.fields += 1;
        self
    }

    fn sized(&mut self, data: &[u8]) {
        self.count(data.len());
        self.bytes.extend(data);
        self.fields += 1;
    }

    fn count(&mut self, count: usize) {
        self.bytes.extend((count as u32).to_le_bytes());
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        let length = (self.bytes.len() - PREFIX) as u32;
        self.bytes[..PREFIX].copy_from_slice(&length.to_le_bytes());
        self.bytes[COUNT..COUNT + 4].copy_from_slice(&self.fields.to_le_bytes());
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(frame: Frame) -> Option<Reply> {
        Reply::read(&frame.finish()[PREFIX..])
    }

    #[test]
    fn well_formed_replies_are_read() {
        let value = reply(Frame::new().number(1).number(7).data(b"out").flag(true));
        let expected =
            Observation { stdout: "out".into(), args_changed: true, ..Observation::value(Value::Int(7.into())) };
        assert_eq!(value, Some(Reply::Done(expected)));
        let raised = reply(Frame::new().number(2).text("ValueError").text("no").data(b"").flag(false));
        assert_eq!(raised, Some(Reply::Done(Observation::exception("ValueError", "no"))));
        assert_eq!(reply(Frame::new().number(5)), Some(Reply::Again));
        assert_eq!(reply(Frame::new().number(7).flag(false)), Some(Reply::Truth(false)));
    }

    #[test]
    fn odd_replies_are_nothing() {
        let odd = [
            Frame::new(),
            Frame::new().number(99),
            Frame::new().text("1"),
            Frame::new().number(1),
            Frame::new().number(1).number(7).data(b"").number(1),
            Frame::new().number(1).number(7).text("").flag(true),
            Frame::new().number(5).number(5),
            Frame::new().number(7).number(1),
            Frame::new().number(u64::MAX),
        ];
        for frame in odd {
            assert_eq!(reply(frame), None);
        }
        let code_object = [A_VALUE, b"c\0"].concat();
        assert_eq!(Reply::read(&code_object), Some(Reply::Done(Observation::bare(Status::Opaque))));
        assert_eq!(Reply::read(b""), None);
        assert_eq!(Reply::read(b"["), None);
    }
}
