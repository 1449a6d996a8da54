/** Turns a partial change of an object into the SET list of an UPDATE. */

/** How one field is kept: its column, and its value as SQLite takes it. */
export interface Column { readonly column: string; readonly encode?: (value: unknown) => unknown }

export const flag: (value: unknown) => unknown = (value) => (value === true ? 1 : 0);
export const json: (value: unknown) => unknown = (value) => (value === null || value === undefined ? null : JSON.stringify(value));

/** Fields that are absent or undefined stay as they are; a field without a column is an error of the programmer. Undefined = nothing to do. */
export function assignments(change: object, columns: ReadonlyMap<string, Column>): { readonly set: string; readonly values: Readonly<Record<string, unknown>> } | undefined {
  const values: Record<string, unknown> = {};
  const set: string[] = [];
  for (const [field, value] of Object.entries(change)) {
    if (value === undefined) continue;
    const column = columns.get(field);
    if (column === undefined) throw new TypeError(`no column keeps the field ${field}`);
    set.push(`${column.column} = @${field}`);
    values[field] = column.encode === undefined ? value : column.encode(value);
  }
  return set.length === 0 ? undefined : { set: set.join(', '), values };
}
