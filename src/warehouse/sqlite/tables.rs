//! What there is to perturb: the ordinary tables of a database, how a row of each is named, and which columns are free.
//!
//! A column is a key, and so not free, if it belongs to a primary key or a unique index, is at either end of a declared
//! foreign key, is named `id` or ends in `id` after an underscore or in `Id`, is generated, or shares its name with a
//! column of another table: databases often join on columns that nobody declared.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::cell::Cell;

pub(super) struct Table {
    pub name: String,
    /// Columns whose values may be shuffled, in the table's order.
    pub free: Vec<String>,
    /// What names a row: its row id, or its primary key.
    key: Vec<String>,
    /// Conditions under which another row refers to one of this table.
    referenced: Vec<String>,
}

/// A row by its key.
pub(super) struct Row {
    pub key: Vec<Cell>,
    /// Whether another row refers to it.
    pub referenced: bool,
}

impl Table {
    /// The rows in the order of their keys.
    pub fn rows(&self, connection: &Connection) -> rusqlite::Result<Vec<Row>> {
        let referenced = if self.referenced.is_empty() { "0".to_owned() } else { self.referenced.join(" OR ") };
        let (columns, name) = (self.order(), quoted(&self.name));
        let mut select =
            connection.prepare(&format!("SELECT {columns}, {referenced} FROM {name} AS the_row ORDER BY {columns}"))?;
        let mut found = select.raw_query();
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let key = (0..self.key.len()).map(|at| row.get_ref(at).map(Cell::of)).collect::<rusqlite::Result<_>>()?;
            rows.push(Row { key, referenced: row.get::<_, Option<bool>>(self.key.len())? == Some(true) });
        }
        Ok(rows)
    }

    /// The condition that a row is the one of the key bound from parameter `first` on.
    pub fn is_row(&self, first: usize) -> String {
        let parts: Vec<String> =
            self.key.iter().enumerate().map(|(at, column)| format!("{} = ?{}", quoted(column), first + at)).collect();
        parts.join(" AND ")
    }

    pub fn order(&self) -> String {
        self.key.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(", ")
    }
}

/// A name as SQL.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A column as the schema has it.
struct Column {
    name: String,
    primary: i64,
    generated: bool,
}

/// A declared foreign key.
struct Reference {
    table: String,
    from: Vec<String>,
    to: Vec<String>,
}

/// The ordinary tables, by name.
pub(super) fn tables(connection: &Connection) -> rusqlite::Result<Vec<Table>> {
    let mut select = connection.prepare(
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )?;
    let names = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let names = names.collect::<rusqlite::Result<Vec<(String, bool)>>>()?;
    let mut columns: Vec<Vec<Column>> = Vec::new();
    for (name, _) in &names {
        columns.push(columns_of(connection, name)?);
    }
    let mut shared: BTreeMap<String, usize> = BTreeMap::new();
    for column in columns.iter().flatten() {
        *shared.entry(column.name.to_lowercase()).or_default() += 1;
    }
    let mut tables = Vec::new();
    let mut references = Vec::new();
    for ((name, without_rowid), columns) in names.iter().zip(&columns) {
        references.push(references_of(connection, name)?);
        let unique = unique_columns(connection, name)?;
        let is_free = |column: &&Column| {
            let lower = column.name.to_lowercase();
            let named_key = lower == "id" || lower.ends_with("_id") || column.name.ends_with("Id");
            column.primary == 0 && !column.generated && !named_key && shared[&lower] == 1 && !unique.contains(&lower)
        };
        let free = columns.iter().filter(is_free).map(|column| column.name.clone()).collect();
        if let Some(key) = key_of(columns, *without_rowid) {
            tables.push(Table { name: name.clone(), free, key, referenced: Vec::new() });
        }
    }
    for ((child, _), references) in names.iter().zip(references) {
        for reference in references {
            refer(&mut tables, child, reference, &names, &columns);
        }
    }
    Ok(tables)
}

/// Takes both ends of a foreign key out of what is free, and notes when its rows are referred to.
fn refer(tables: &mut [Table], child: &str, reference: Reference, names: &[(String, bool)], columns: &[Vec<Column>]) {
    let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    let Some(parent) = names.iter().position(|(name, _)| same(name, &reference.table)) else { return };
    let mut primary: Vec<&Column> = columns[parent].iter().filter(|column| column.primary > 0).collect();
    primary.sort_by_key(|column| column.primary);
    // A reference that names no column is to the primary key.
    let to = match reference.to.is_empty() {
        true => primary.iter().map(|column| column.name.clone()).collect(),
        false => reference.to,
    };
    if to.len() != reference.from.len() || !to.iter().all(|to| columns[parent].iter().any(|own| same(&own.name, to))) {
        return;
    }
    for table in tables {
        if same(&table.name, child) {
            table.free.retain(|column| !reference.from.iter().any(|from| same(from, column)));
        }
        if same(&table.name, &reference.table) {
            table.free.retain(|column| !to.iter().any(|to| same(to, column)));
            let from: Vec<String> = reference.from.iter().map(|from| quoted(from)).collect();
            let own: Vec<String> = to.iter().map(|to| format!("the_row.{}", quoted(to))).collect();
            table.referenced.push(format!(
                "(({}) IN (SELECT {} FROM {}))",
                own.join(", "),
                from.join(", "),
                quoted(child)
            ));
        }
    }
}

fn columns_of(connection: &Connection, table: &str) -> rusqlite::Result<Vec<Column>> {
    let mut select = connection.prepare("SELECT name, pk, hidden FROM pragma_table_xinfo(?1) ORDER BY cid")?;
    let columns = select.query_map([table], |row| {
        Ok(Column { name: row.get(0)?, primary: row.get(1)?, generated: row.get::<_, i64>(2)? != 0 })
    })?;
    columns.collect()
}

/// The columns of unique indexes, in lower case.
fn unique_columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut select = connection.prepare(
        "SELECT lower(info.name) FROM pragma_index_list(?1) AS list, pragma_index_info(list.name) AS info
         WHERE list.\"unique\" AND info.name IS NOT NULL",
    )?;
    select.query_map([table], |row| row.get(0))?.collect()
}

fn references_of(connection: &Connection, table: &str) -> rusqlite::Result<Vec<Reference>> {
    let mut select = connection
        .prepare("SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?1) ORDER BY id, seq")?;
    let mut by_id: BTreeMap<i64, Reference> = BTreeMap::new();
    let mut found = select.query([table])?;
    while let Some(row) = found.next()? {
        let fresh = Reference { table: row.get(1)?, from: Vec::new(), to: Vec::new() };
        let reference = by_id.entry(row.get(0)?).or_insert(fresh);
        reference.from.push(row.get(2)?);
        reference.to.extend(row.get::<_, Option<String>>(3)?);
    }
    Ok(by_id.into_values().collect())
}

/// What names a row: a row id that no column hides, or the primary key of a table without row ids.
fn key_of(columns: &[Column], without_rowid: bool) -> Option<Vec<String>> {
    if without_rowid {
        let mut primary: Vec<&Column> = columns.iter().filter(|column| column.primary > 0).collect();
        primary.sort_by_key(|column| column.primary);
        return Some(primary.into_iter().map(|column| column.name.clone()).collect());
    }
    let taken = |name: &&&str| columns.iter().any(|column| column.name.eq_ignore_ascii_case(name));
    ["rowid", "_rowid_", "oid"].iter().find(|name| !taken(name)).map(|name| vec![(*name).to_owned()])
}
