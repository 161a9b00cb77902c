import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { z } from 'zod'
import { systemClock } from '../../../base/clock.ts'
import { MishapError } from '../../../base/errors.ts'
import type { Connection } from '../connection.ts'
import { keptTracesName } from '../schema/downsampled-spans.ts'
import { type TableName, tableNames, withDerived } from '../tables.ts'

/**
 * The rows of all tables as files: one for each table and partition, tab-separated and compressed. Every kind of events
 * store writes and reads them, so a backup can change the kind. Rollups are files too: they count rows that the disk
 * budget has deleted.
 */
const indexName = 'rows.json'
const format = 1
const shape = z.object({
  format: z.literal(format),
  tables: z.array(
    z.object({
      name: z.string().regex(/^[a-z_]{1,60}$/),
      columns: z.array(z.string().regex(/^\w{1,60}$/)),
      partitions: z.array(z.object({ id: z.string().regex(/^[\w-]{1,100}$/), rows: z.number().int().min(0) })),
    }),
  ),
})
type Index = z.infer<typeof shape>

/** Fast enough for the stream of a server. Higher levels save a tenth of the bytes and take twice the time. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
/** Bytes of an insert, and at most a line more. An insert is held in memory by both sides. */
const insertBytesMin = 16 * 1024 * 1024
/** The embedded engine holds a whole result in memory. */
const resultBytesMax = 32 * 1024 * 1024
/** A stopped merge ends at its next block. */
const [mergesEndMs, mergesLookMs] = [30_000, 20]
/** Ends a complete stream. No row is like it: each begins with a number or a date. */
const endLine = Buffer.from('complete\n')

const fileOf = (folder: string, table: string, partition: string) => join(folder, table, `${partition}.tsv.zst`)

/**
 * Tables of the archive: `withDerived` has each table before what is derived from it. A step of downsampling that was
 * interrupted is finished by the store that gets the rows, and needs its choice of traces.
 */
export const archivedTables: readonly string[] = [...tableNames.flatMap(withDerived), keptTracesName]

/** Returns the columns that an insert names. The engine computes the others. */
export async function columnsOf(connection: Connection, database: string, table: string): Promise<string[]> {
  const found = await connection.rows<{ name: string }>(
    `SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String}
     AND default_kind NOT IN ('MATERIALIZED', 'ALIAS') ORDER BY position`,
    { database, table },
  )
  return found.map(({ name }) => name)
}

/**
 * Returns conditions that select all rows of a partition, one part of the result each. A server streams a partition. The
 * embedded engine is asked for ranges of rows; the caller has stopped its merges, so its parts stay.
 */
async function pieces(connection: Connection, database: string, table: string, partition: string): Promise<string[]> {
  if (connection.kind.isRemote) return ['1']
  const parts = await connection.rows<{ name: string; rows: string; bytes: string }>(
    `SELECT name, rows, data_uncompressed_bytes AS bytes FROM system.parts
     WHERE active AND database = {database:String} AND table = {table:String} AND partition_id = {partition:String}
     ORDER BY name`,
    { database, table, partition },
  )
  return parts.flatMap(({ name, rows, bytes }) => {
    const each = Math.max(1, Math.floor((resultBytesMax * Number(rows)) / Math.max(1, Number(bytes))))
    const starts = Array.from({ length: Math.ceil(Number(rows) / each) }, (_, n) => n * each)
    return starts.map((start) => `_part = '${name}' AND _part_offset >= ${start} AND _part_offset < ${start + each}`)
  })
}

/** Passes on the bytes of a stream without its end line. Throws if that is missing: the store failed in the middle. */
async function* withoutEnd(source: Readable, counted: (rows: number) => void): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of source as AsyncIterable<Buffer>) {
    // A long chunk is passed on without a copy. Copies took a third of the time of process app during a move.
    const isLong = chunk.length >= endLine.length
    if (isLong && held.length > 0) {
      counted(linesIn(held))
      yield held
    }
    const all = isLong ? chunk : Buffer.concat([held, chunk])
    const keep = Math.min(all.length, endLine.length)
    held = all.subarray(all.length - keep)
    const ready = all.subarray(0, all.length - keep)
    counted(linesIn(ready))
    if (ready.length > 0) yield ready
  }
  if (!held.equals(endLine))
    throw new MishapError('STORE_UNAVAILABLE', { causes: ['the export of a table was cut off'] })
}

function linesIn(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++
  return lines
}

/**
 * Stops merges of the embedded engine and waits for those of a table. One that still ends would replace parts while they
 * are read, and their rows would be missing. The caller starts merges again, also after an error. Throws STORE_UNAVAILABLE
 * if one still runs after 30 s.
 */
export async function stopMerges(connection: Connection, database: string, table: string): Promise<void> {
  await connection.command('SYSTEM STOP MERGES')
  const running = async () => {
    const [found] = await connection.rows<{ n: string }>(
      'SELECT count() AS n FROM system.merges WHERE database = {database:String} AND table = {table:String}',
      { database, table },
    )
    return Number(found?.n ?? 0) > 0
  }
  for (let waitedMs = 0; await running(); waitedMs += mergesLookMs) {
    if (waitedMs >= mergesEndMs)
      throw new MishapError('STORE_UNAVAILABLE', { causes: [`a merge of ${table} does not end`] })
    await systemClock.sleep(mergesLookMs)
  }
}

/** Rows of one partition that match `where`. */
type PartitionPart = { database: string; table: string; columns: readonly string[]; partition: string; where: string }

/**
 * Yields rows of a partition as tab-separated lines. `counted` gets their number. The caller has stopped the merges of an
 * embedded store. Throws STORE_UNAVAILABLE if the store fails in the middle.
 */
export async function* partitionRows(
  connection: Connection,
  { database, table, columns, partition, where }: PartitionPart,
  counted: (rows: number) => void,
): AsyncGenerator<Buffer> {
  for (const condition of await pieces(connection, database, table, partition)) {
    const source = await connection.stream(
      `SELECT ${columns.join(', ')} FROM ${database}.${table} WHERE _partition_id = '${partition}' AND ${condition} AND ${where}`,
      endLine.toString(),
    )
    yield* withoutEnd(source, counted)
  }
}

/** Writes one partition. Returns the number of its rows. */
async function exportPartition(
  connection: Connection,
  from: Omit<PartitionPart, 'where'>,
  file: string,
): Promise<number> {
  let rows = 0
  const all = partitionRows(connection, { ...from, where: '1' }, (lines) => {
    rows += lines
  })
  await pipeline(Readable.from(all), createZstdCompress(compression), createWriteStream(file, { mode: 0o600 }))
  return rows
}

/** Throws STORE_UNAVAILABLE unless all rows of a partition were exported. */
async function demandAll(
  connection: Connection,
  database: string,
  { name, id, rows }: { name: string; id: string; rows: number },
): Promise<void> {
  const [found] = await connection.rows<{ n: string }>(
    `SELECT count() AS n FROM ${database}.${name} WHERE _partition_id = {id:String}`,
    { id },
  )
  if (Number(found?.n) !== rows)
    throw new MishapError('STORE_UNAVAILABLE', {
      causes: [`${name} has ${found?.n} rows in ${id}, and ${rows} were read`],
    })
}

/**
 * Writes the rows of all tables into `folder`, which is created. Nothing may be inserted or deleted meanwhile. Returns
 * the rows of each stored table. Throws STORE_UNAVAILABLE if the store fails in the middle.
 */
export async function exportRows(
  connection: Connection,
  database: string,
  folder: string,
): Promise<Record<TableName, number>> {
  const index: Index = { format, tables: [] }
  try {
    for (const name of archivedTables) {
      if (!connection.kind.isRemote) await stopMerges(connection, database, name)
      await mkdir(join(folder, name), { recursive: true, mode: 0o700 })
      const columns = await columnsOf(connection, database, name)
      const found = await connection.rows<{ id: string }>(
        `SELECT DISTINCT partition_id AS id FROM system.parts
         WHERE active AND rows > 0 AND database = {database:String} AND table = {name:String} ORDER BY id`,
        { database, name },
      )
      const partitions: Index['tables'][number]['partitions'] = []
      for (const { id } of found) {
        const file = fileOf(folder, name, id)
        const rows = await exportPartition(connection, { database, table: name, columns, partition: id }, file)
        await demandAll(connection, database, { name, id, rows })
        partitions.push({ id, rows })
      }
      index.tables.push({ name, columns, partitions })
    }
  } finally {
    if (!connection.kind.isRemote) await connection.command(`SYSTEM START MERGES`)
  }
  await writeFile(join(folder, indexName), `${JSON.stringify(index, undefined, 2)}\n`, { mode: 0o600 })
  const rowsOf = (name: string) =>
    index.tables.find((table) => table.name === name)?.partitions.reduce((sum, { rows }) => sum + rows, 0) ?? 0
  return Object.fromEntries(tableNames.map((name) => [name, rowsOf(name)])) as Record<TableName, number>
}

/** Returns whether a folder holds exported rows. */
export const holdsRows = (folder: string): Promise<boolean> =>
  readFile(join(folder, indexName)).then(
    () => true,
    () => false,
  )

async function readIndex(folder: string): Promise<Index> {
  try {
    return shape.parse(JSON.parse(await readFile(join(folder, indexName), 'utf8')))
  } catch {
    throw new MishapError('VALIDATION', { detail: 'The events of the backup are damaged or of a newer version.' })
  }
}

/** Cuts a stream into whole lines, in chunks of together at least `insertBytesMin`. A longer line is a piece of its own. */
async function* wholeLines(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer[]> {
  let parts: Buffer[] = []
  let bytes = 0
  for await (const chunk of source) {
    const end = bytes + chunk.length < insertBytesMin ? 0 : chunk.lastIndexOf(10) + 1
    if (end === 0) {
      parts.push(chunk)
      bytes += chunk.length
      continue
    }
    yield [...parts, chunk.subarray(0, end)]
    parts = [chunk.subarray(end)]
    bytes = chunk.length - end
  }
  if (bytes > 0) yield parts
}

/**
 * Inserts tab-separated rows in pieces of whole lines. The next piece is read while one is inserted, because two stores do
 * the two. Rejects once no insert runs, with the error of the insert if both failed.
 */
export async function insertLines(
  source: AsyncIterable<Buffer>,
  insert: (lines: Buffer[]) => Promise<void>,
): Promise<void> {
  let running: Promise<void> = Promise.resolve()
  try {
    for await (const lines of wholeLines(source)) {
      await running
      running = insert(lines)
      // It is awaited above or below. The source can take longer to fail or to give more.
      running.catch(() => undefined)
    }
  } catch (error) {
    const [insert] = await Promise.allSettled([running])
    throw insert.status === 'rejected' ? insert.reason : error
  }
  await running
}

/**
 * Inserts exported rows into empty tables of this version. The caller has dropped the views that fill the rollups. Each
 * piece has a token, so that a repeated insert stores it once. Throws VALIDATION for a damaged export.
 */
export async function importRows(connection: Connection, folder: string): Promise<void> {
  const { tables } = await readIndex(folder)
  for (const { name, columns, partitions } of tables) {
    if (!archivedTables.includes(name))
      throw new MishapError('VALIDATION', {
        detail: `The backup has a table "${name}", which this version does not know.`,
      })
    for (const { id, rows } of partitions) {
      const unpacked = createReadStream(fileOf(folder, name, id)).pipe(createZstdDecompress())
      let [piece, inserted] = [0, 0]
      await insertLines(unpacked as AsyncIterable<Buffer>, async (lines) => {
        await connection.insert(name, columns, lines, `restore:${name}/${id}:${piece++}`)
        for (const chunk of lines) inserted += linesIn(chunk)
      })
      if (inserted !== rows)
        throw new MishapError('VALIDATION', {
          detail: `The backup holds ${rows} rows of ${name} in ${id}, but ${inserted} were read. The file is damaged.`,
        })
    }
  }
}
