import { randomUUID } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { faultOf, type Observe } from '../base/observe.ts'
import { exportEncoder } from '../query/explore/export-encoder.ts'
import { type AskPlan, exportPages, exportTotal } from '../query/explore/export-pages.ts'
import { exportRetentionMs } from '../query/explore/exports.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { Export } from '../store/meta/explore/exports.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

type ExportDeps = {
  clock: Clock
  observe: Observe
  meta: MetaWith<
    | 'explore.openExportsOf'
    | 'explore.progressExport'
    | 'explore.endExport'
    | 'explore.exportFilesOf'
    | 'explore.exportBytesOf'
    | 'explore.expireExport'
    | 'explore.dropExports'
    | 'projects.projectById'
  >
  blobs: Pick<BlobStore, 'putStream' | 'delete' | 'list' | 'ping'>
  /** How an export reads: bound to its projects and environments. Undefined if its projects are gone. */
  askOf(value: Export, signal: AbortSignal): Promise<AskPlan | undefined>
  /** Bytes that files of exports may still take. */
  roomBytes(taken: number): Promise<number>
}

export type Exports = {
  /** Writes the open exports, one after the other; people take turns. A restart begins an unfinished one again. */
  run(): Promise<{ ended: number }>
  /** Deletes files that are too old, whose project is gone, or that no export names. */
  sweep(): Promise<{ expired: number; orphans: number }>
  /** Stops writing an export. Its row has ended before. */
  abort(id: number): void
  stop(): void
}

const dayMs = 86_400_000
/** The list shows what became of an export a while longer. */
const rowRetentionMs = 30 * dayMs
const progressEveryMs = 1000

/** The export was canceled, or its row is gone. */
class Canceled extends Error {}

/** Faults of a store. The export begins again when it is back. */
const passing = new Set(['STORE_UNAVAILABLE', 'DATABASE_UNAVAILABLE', 'DATABASE_UNWRITABLE', 'BLOBS_UNAVAILABLE'])

const sentenceOf = (error: unknown): string => {
  if (!(error instanceof MishapError)) return 'The export failed. The log of the server says why.'
  if (error.code === 'ACCEPT_TOO_LARGE') return 'The file is larger than exports may be together. Narrow the range.'
  return error.message
}

const keyOf = ({ id, organizationId, format }: Export): string =>
  // A blob never changes under its key, so each try has its own.
  `exports/${organizationId}/${id}-${randomUUID()}.${format}`

/** The bytes of the file, with its progress. */
async function* fileOf(
  { clock, meta }: Pick<ExportDeps, 'clock' | 'meta'>,
  value: Export,
  ask: AskPlan,
  progress: { rows: number; bytes: number },
): AsyncGenerator<Buffer> {
  const { request, format, id } = value
  const rowsTotal = await exportTotal(ask, request, request.plan)
  let encoder: Awaited<ReturnType<typeof exportEncoder>> | undefined
  let noted = 0
  const counted = (bytes: Buffer): Buffer => {
    progress.bytes += bytes.length
    return bytes
  }
  for await (const page of exportPages(ask, request, request.plan, rowsTotal)) {
    if (!encoder) {
      encoder = await exportEncoder(format, page.columns)
      yield counted(encoder.begin())
    }
    yield counted(encoder.add(page.rows))
    progress.rows += page.rows.length
    if (clock.now() - noted < progressEveryMs) continue
    noted = clock.now()
    if (!(await meta.explore.progressExport(id, { rowsDone: progress.rows, rowsTotal, bytes: progress.bytes })))
      throw new Canceled()
  }
  if (encoder) yield counted(encoder.end())
}

/** Writes one export. Throws only if it must be tried again. */
async function writeOne(deps: ExportDeps, value: Export, signal: AbortSignal): Promise<void> {
  const { meta, blobs } = deps
  const key = keyOf(value)
  const progress = { rows: 0, bytes: 0 }
  const ended = (state: 'done' | 'failed', error: string) => {
    const blobKey = state === 'done' ? key : ''
    const bytes = state === 'done' ? progress.bytes : 0
    return meta.explore.endExport(value.id, { state, rowsDone: progress.rows, bytes, blobKey, error })
  }
  try {
    const ask = await deps.askOf(value, signal)
    if (!ask) return void (await ended('failed', 'A project of the export was deleted.'))
    const taken = await meta.explore.exportBytesOf()
    await blobs.putStream(key, fileOf(deps, value, ask, progress), Math.max(0, await deps.roomBytes(taken)))
    if (!(await ended('done', ''))) await blobs.delete(key)
  } catch (error) {
    if (error instanceof Canceled || signal.aborted) return
    if (error instanceof MishapError && passing.has(error.code)) throw error
    deps.observe.warn({ export: value.id, error: faultOf(error) }, 'an export failed')
    await ended('failed', sentenceOf(error))
  }
}

/** Whether all projects of an export still exist. */
async function hasProjects({ meta }: Pick<ExportDeps, 'meta'>, value: Export): Promise<boolean> {
  for (const id of value.request.projectIds) if (!(await meta.projects.projectById(id))) return false
  return true
}

async function sweepFiles(
  deps: ExportDeps,
  running: number | undefined,
): Promise<{ expired: number; orphans: number }> {
  const { clock, meta, blobs } = deps
  // A blob whose deletion fails is an orphan of the next time.
  await blobs.ping()
  const keys = await blobs.list('exports')
  const files = await meta.explore.exportFilesOf()
  let expired = 0
  const named = new Set<string>()
  for (const file of files) {
    const isOld = (file.endedMs ?? 0) < clock.now() - exportRetentionMs
    if (!isOld && keys.includes(file.blobKey) && (await hasProjects(deps, file))) named.add(file.blobKey)
    else {
      await meta.explore.expireExport(file.id)
      expired++
    }
  }
  const orphans = keys.filter((key) => !named.has(key) && !key.includes(`/${running}-`))
  for (const key of orphans) await blobs.delete(key)
  await meta.explore.dropExports(clock.now() - rowRetentionMs)
  return { expired, orphans: orphans.length - expired }
}

/** Creates the exports of the app process. Nothing runs before `run`. */
export function createExports(deps: ExportDeps): Exports {
  const state: {
    running: Promise<{ ended: number }> | undefined
    id: number | undefined
    control: AbortController
    stopped: boolean
  } = {
    stopped: false,
    running: undefined,
    id: undefined,
    control: new AbortController(),
  }
  /** When each person had a turn. Otherwise three large exports of one person would hold back all others. */
  const turns = new Map<string, number>()
  async function round(): Promise<{ ended: number }> {
    let ended = 0
    while (!state.stopped) {
      const open = await deps.meta.explore.openExportsOf()
      const turnOf = ({ userId }: Export) => turns.get(userId) ?? -1
      const next = open.toSorted((a, b) => turnOf(a) - turnOf(b))[0]
      if (!next) break
      turns.set(next.userId, ended)
      state.control = new AbortController()
      state.id = next.id
      await writeOne(deps, next, state.control.signal)
      ended++
    }
    return { ended }
  }
  return {
    run: () => {
      state.running ??= round().finally(() => {
        state.running = undefined
        state.id = undefined
        turns.clear()
      })
      return state.running
    },
    sweep: () => sweepFiles(deps, state.id),
    abort: (id) => {
      if (state.id === id) state.control.abort()
    },
    stop: () => {
      state.stopped = true
      state.control.abort()
    },
  }
}
