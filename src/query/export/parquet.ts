import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { PlanCell, PlanColumn } from '../../contract/explore/explore.ts'
import type { ExportEncoder } from '../explore/export-encoder.ts'

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]
/** A stored type, and how a cell becomes its value. A cell of another type is null. */
type Stored = { element: Omit<SchemaElement, 'name'>; value(cell: PlanCell): unknown }

/** ISO 8601 to microseconds. Dates of JavaScript end at milliseconds. */
function microsecondsOf(cell: PlanCell): bigint | null {
  const ms = typeof cell === 'string' ? Date.parse(cell) : typeof cell === 'number' ? cell : Number.NaN
  if (!Number.isFinite(ms)) return null
  const beyond = typeof cell === 'string' ? (/\.\d{3}(\d{1,3})/.exec(cell)?.[1] ?? '') : ''
  return BigInt(Math.trunc(ms)) * 1000n + BigInt(beyond.padEnd(3, '0') || '0')
}

const text: Stored = {
  element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  value: (cell) => (cell === null ? null : String(cell)),
}
const double: Stored = {
  element: { type: 'DOUBLE' },
  value: (cell) => (typeof cell === 'number' && Number.isFinite(cell) ? cell : null),
}
const stored: Readonly<Record<PlanColumn['type'], Stored>> = {
  string: text,
  number: double,
  duration: double,
  percentage: double,
  rate: double,
  // Sums of weights are not whole, and a group's number can be beyond 64 bits of an integer.
  integer: double,
  boolean: { element: { type: 'BOOLEAN' }, value: (cell) => (typeof cell === 'boolean' ? cell : null) },
  date: { element: { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' }, value: microsecondsOf },
}

/** Writes a Parquet file as a stream: each call of `add` is one group of rows, so a file needs the memory of one group. */
export function parquetEncoder(columns: readonly PlanColumn[], names: readonly string[]): ExportEncoder {
  const types = columns.map(({ type }) => stored[type])
  const writer = new ByteWriter()
  const file = new ParquetWriter({
    writer,
    schema: [
      { name: 'root', num_children: names.length },
      ...types.map(({ element }, at) => ({ ...element, name: names[at] ?? '', repetition_type: 'OPTIONAL' as const })),
    ],
    createdBy: 'Mishap',
  })
  const taken = (): Buffer => {
    const bytes = Buffer.from(writer.getBytes())
    writer.index = 0
    return bytes
  }
  return {
    begin: taken,
    add: (rows) => {
      if (rows.length === 0) return Buffer.alloc(0)
      void file.write({
        columnData: types.map(({ value }, at) => ({
          name: names[at] ?? '',
          data: rows.map((row) => value(row[at] ?? null)),
          // Its lists of pages would stay in memory until the end.
          offsetIndex: false,
        })),
        rowGroupSize: rows.length,
      })
      return taken()
    },
    end: () => {
      void file.finish()
      return taken()
    },
  }
}
