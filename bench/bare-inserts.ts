import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import { silent } from '../src/base/observe.ts'
import { engineChild } from '../src/serve/engine-child.ts'
import { createEventStore } from '../src/store/events/clickhouse.ts'
import type { TableName } from '../src/store/events/tables.ts'

type EncodedBatch = { tsv: Buffer; rows: number }

/** Starts an engine as the product does. Returns the child and its socket. */
async function startProductEngine(folder: string) {
  const socketPath = join(folder, 'engine.sock')
  const places = { folders: { engine: join(folder, 'events') }, sockets: { engine: socketPath } }
  const {
    file,
    words,
    nodeOptions = [],
    env,
  } = engineChild(
    { engineMemoryBytes: 600 * 2 ** 20, logLevel: 'warn' },
    places as Parameters<typeof engineChild>[1],
    process.env,
  )
  const engine = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...nodeOptions, file, ...words], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: env as NodeJS.ProcessEnv,
  })
  await once(engine, 'message')
  return { engine, socketPath }
}

/** Inserts batches into an engine of its own, two at a time as refine does. `encode` is not timed. Returns rows/s. */
export async function insertedPerS(table: TableName, encode: () => readonly EncodedBatch[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-bench-'))
  const { engine, socketPath } = await startProductEngine(folder)
  const url = 'http://localhost'
  const store = createEventStore({ url, socketPath, database: 'bench', observe: silent, clock: systemClock })
  await store.migrate()
  const batches = encode()
  const began = performance.now()
  let at = 0
  const insert = async () => {
    for (let batch = batches[at++]; batch; batch = batches[at++]) await store.insert(table, batch.tsv, `bench:${at}`)
  }
  await Promise.all([insert(), insert()])
  const seconds = (performance.now() - began) / 1000
  await store.close()
  engine.kill('SIGTERM')
  await once(engine, 'exit')
  rmSync(folder, { recursive: true })
  return batches.reduce((sum, { rows }) => sum + rows, 0) / seconds
}
