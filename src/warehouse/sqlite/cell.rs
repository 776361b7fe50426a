//! A value on its way from one place of a database to another, bit for bit.

use rusqlite::types::{ToSqlOutput, ValueRef};

#[derive(Clone)]
pub(super) enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    /// Not always UTF-8.
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

impl Cell {
    pub fn of(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Cell::Null,
            ValueRef::Integer(number) => Cell::Integer(number),
            ValueRef::Real(number) => Cell::Real(number),
            ValueRef::Text(bytes) => Cell::Text(bytes.to_vec()),
            ValueRef::Blob(bytes) => Cell::Blob(bytes.to_vec()),
        }
    }

    /// The value as a parameter of a statement.
    pub fn bound(&self) -> ToSqlOutput<'_> {
        ToSqlOutput::Borrowed(match self {
            Cell::Null => ValueRef::Null,
            Cell::Integer(number) => ValueRef::Integer(*number),
            Cell::Real(number) => ValueRef::Real(*number),
            Cell::Text(bytes) => ValueRef::Text(bytes),
            Cell::Blob(bytes) => ValueRef::Blob(bytes),
        })
    }
}
