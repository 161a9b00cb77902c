import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { openJournalWriter } from '../journal/files.ts'
import type { JournalWriter, RecordHead } from '../journal/journal.ts'
import { openFileBlobs } from '../store/blobs/files.ts'
import { openTestMeta } from '../store/meta/fixture.cases.ts'
import type { BatchResult } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { memoryEvents } from './memory.cases.ts'
import { createRefine, type Refine } from './pipeline/refine.ts'
import { sharedThread } from './pipeline/shared-thread.cases.ts'

const folders: string[] = []
/** The resources that a test opened. The last one is closed first. */
export const closing: (() => Promise<unknown> | undefined)[] = []
/** Closes and removes all of a case. A hook of this module would only run in the first file of a test process. */
async function closeAll(): Promise<void> {
  for (const close of closing.splice(0)) await close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

export type Bench = {
  writer: JournalWriter
  meta: MetaStore
  events: ReturnType<typeof memoryEvents>
  folder: string
  projectId: number
  commits: BatchResult[]
  failures: unknown[]
  /** Each trim of the journal, with the cursor at that time. */
  trims: { before: number; cursor: number }[]
  /** `file`: the script of the workers, which then have threads of their own. `changed`: parts to use instead of the rig's. */
  open(file?: string, clock?: Clock, changed?: Partial<Parameters<typeof createRefine>[0]>): Refine
}

/** Opens a journal without limits that does not wait for groups. */
export const openTestJournal = (folder: string): Promise<JournalWriter> =>
  openJournalWriter({ folder, bytesMax: 1e9, diskReserveBytes: 0, groupMs: 0, clock: systemClock, observe: silent })

export async function bench(): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-refine-'))
  folders.push(folder)
  onTestFinished(closeAll)
  const writer = await openTestJournal(join(folder, 'journal'))
  const meta = await openTestMeta(join(folder, 'meta.sqlite'), { clock: systemClock })
  const organization = await meta.organizations.createOrganization({ slug: 'acme', name: 'Acme', ownerUserId: 'u1' })
  const project = await meta.projects.createProject({
    organizationId: organization.id,
    slug: 'web',
    name: 'web',
    platform: 'javascript',
  })
  const events = memoryEvents()
  const commits: BatchResult[] = []
  const failures: unknown[] = []
  const trims: Bench['trims'] = []
  closing.push(
    () => writer.close(),
    async () => meta.close(),
  )
  const open: Bench['open'] = (file, clock = systemClock, changed = {}) => {
    const refine = createRefine({
      clock,
      observe: silent,
      meta,
      events: events.store,
      blobs: openFileBlobs(join(folder, 'blobs')),
      workers: 1,
      readers: { present: () => true, isIdle: () => false, arrivedMs: () => 0, onArrival: () => () => undefined },
      worker: {
        journalFolder: join(folder, 'journal'),
        rowsPrefix: join(folder, 'rows-'),
        blobSource: { folder: join(folder, 'blobs') },
        ...(file ? { file } : {}),
      },
      ...(file ? {} : { startThread: sharedThread }),
      committed: (result) => {
        if (result.issues.length > 0) commits.push(result)
      },
      trim: async (before) => {
        trims.push({ before, cursor: await meta.batches.cursor() })
        void writer.trim(before).catch((error: unknown) => failures.push(error))
      },
      failed: (error) => void failures.push(error),
      ...changed,
    })
    closing.unshift(() => refine.stop(100))
    return refine
  }
  return { writer, meta, events, folder, projectId: project.id, commits, failures, trims, open }
}

export const head = (projectId: number): RecordHead => ({
  kind: 'envelope',
  receivedMs: Date.now(),
  projectId,
  organizationId: 1,
  keyId: 1,
  clientAddress: '10.0.0.1',
  userAgent: 'test',
  origin: '',
  contentType: 'text/plain',
})
export const envelope = (id: string, type = 'TypeError') =>
  Buffer.from(
    `{"event_id":"${id}"}\n{"type":"event"}\n${JSON.stringify({ platform: 'javascript', timestamp: Date.now() / 1000, exception: { values: [{ type, value: 'x' }] } })}\n`,
  )
export const newId = () => randomBytes(16).toString('hex')

/** Waits for a condition, at most 10 s. */
export async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (let i = 0; i < 500; i++) {
    if (await holds()) return
    await systemClock.sleep(20)
  }
  throw new Error(`never: ${what}`)
}

export async function settled(entry: Bench, count: number, tries = 400): Promise<void> {
  for (let i = 0; i < tries; i++) {
    if ((await entry.meta.batches.cursor()) >= entry.writer.durable() && (await stored(entry)) >= count) return
    await systemClock.sleep(25)
  }
  throw new Error(`stored ${await stored(entry)} of ${count}`)
}
export const outcome = async (entry: Bench, name: string) =>
  (await entry.meta.ledger.outcomesSince({ fromMs: 0 }))
    .filter((row) => row.outcome === name)
    .reduce((sum, row) => sum + row.quantity, 0)
export const stored = (entry: Bench) => outcome(entry, 'stored')

export async function send(entry: Bench, count: number, type?: string): Promise<string[]> {
  const ids = Array.from({ length: count }, newId)
  await Promise.all(ids.map((id) => entry.writer.append(head(entry.projectId), envelope(id, type))))
  return ids
}
