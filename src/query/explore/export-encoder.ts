import type { PlanCell, PlanColumn } from '../../contract/explore/explore.ts'
import type { ExportFormat } from '../../domain/exports.ts'
import { csvCell, csvLine } from '../events/csv.ts'

/** Writes rows as the bytes of a file: `begin`, then `add` for each page of rows, then `end`. */
export type ExportEncoder = {
  begin(): Buffer
  add(rows: readonly (readonly PlanCell[])[]): Buffer
  end(): Buffer
}

/** Returns a name for each column, each only once. Series and formulas have the text of the plan. */
function columnNames(columns: readonly PlanColumn[]): string[] {
  const seen = new Map<string, number>()
  return columns.map(({ name, label, role }) => {
    const base = role === 'previous' ? `${label || name} (previous)` : role === 'field' ? name : label || name
    const count = (seen.get(base) ?? 0) + 1
    seen.set(base, count)
    return count === 1 ? base : `${base} ${count}`
  })
}

/** A number is no formula: with an apostrophe in front, a negative one would be a text. */
const cellText = (cell: PlanCell): string =>
  cell === null ? '' : typeof cell === 'number' ? String(cell) : csvCell(String(cell))

const csvEncoder = (names: readonly string[]): ExportEncoder => ({
  begin: () => Buffer.from(csvLine(names)),
  add: (rows) => Buffer.from(rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('')),
  end: () => Buffer.alloc(0),
})

const jsonLinesEncoder = (names: readonly string[]): ExportEncoder => ({
  begin: () => Buffer.alloc(0),
  add: (rows) =>
    // Entries, as a field may be called __proto__.
    Buffer.from(
      rows
        .map((row) => `${JSON.stringify(Object.fromEntries(names.map((name, at) => [name, row[at] ?? null])))}\n`)
        .join(''),
    ),
  end: () => Buffer.alloc(0),
})

/** Creates the encoder of a format. */
export async function exportEncoder(format: ExportFormat, columns: readonly PlanColumn[]): Promise<ExportEncoder> {
  const names = columnNames(columns)
  if (format === 'csv') return csvEncoder(names)
  if (format === 'jsonl') return jsonLinesEncoder(names)
  // Loaded with the first such file: 4 MB of writers and codecs.
  const { parquetEncoder } = await import('../export/parquet.ts')
  return parquetEncoder(columns, names)
}
