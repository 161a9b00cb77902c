import { parentPort } from 'node:worker_threads'
import { systemClock } from '../../base/clock.ts'
import { faultOf } from '../../base/observe.ts'
import { createRuleCache, type GroupingContext } from '../fingerprint/fingerprint.ts'
import type { MapAnswer } from '../symbolicate/map-cache.ts'
import { createWorkerMaps, type RangeMaps } from '../symbolicate/maps.ts'
import { createLines } from './lines.ts'
import { type Reprocessed, reprocessEvent } from './reprocess.ts'
import type { FromRemap, Remapped, ToRemap } from './reprocess-rows.ts'

/** A map that other maps of the same events evicted is loaded again. */
const mapTriesMax = 3
/** ms. Nobody waits for these events, so a map gets the longest load time. */
const mapWaitMs = 60_000
const hourUs = 3_600_000_000

type Rows = Extract<ToRemap, { kind: 'rows' }>

async function remapped({ rows, nowMs }: Rows, maps: RangeMaps, rules: GroupingContext): Promise<Remapped> {
  const lines = createLines(1024)
  const out: Remapped = { tsv: new Uint8Array(0), moves: [], stillMissing: [], broken: 0 }
  for (const row of rows) {
    let reprocessed: Reprocessed
    try {
      reprocessed = reprocessEvent(row, maps, nowMs, rules)
      for (let tries = 0; maps.missing() && tries < mapTriesMax; tries++) {
        await maps.load()
        reprocessed = reprocessEvent(row, maps, nowMs, rules)
      }
    } catch {
      // A payload in the format of an older version stays unchanged.
      out.broken++
      continue
    }
    const { changed, effect, forms, fromDiagnostics } = reprocessed
    if (!changed) {
      out.stillMissing.push({ hash: row.groupHash, names: effect.misses ?? [] })
      continue
    }
    const tsvFrom = lines.size
    lines.write(reprocessed.row, forms)
    const hour = Math.floor(row.timestampUs / hourUs) * 3600
    out.moves.push({ fromHash: row.groupHash, fromDiagnostics, effect, tsvFrom, tsvTo: lines.size, hour })
  }
  out.tsv = lines.take()
  return out
}

// The entry point of the reprocessing thread.
if (parentPort) {
  const port = parentPort
  const post = (message: FromRemap, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)
  const tools = { grouping: createRuleCache() }
  const pending = new Map<number, (answers: MapAnswer[]) => void>()
  let requestCount = 0
  const maps = createWorkerMaps(
    (projectId, queries, waitMs) =>
      new Promise<MapAnswer[]>((resolve) => {
        pending.set(++requestCount, resolve)
        post({ kind: 'ask', ask: requestCount, projectId, queries, waitMs })
      }),
    systemClock.now,
  )
  port.on('message', (message: ToRemap) => {
    if (message.kind === 'maps') {
      pending.get(message.ask)?.(message.answers)
      pending.delete(message.ask)
      return
    }
    const { job, projectId, state, grouping } = message
    const rules: GroupingContext = { settings: grouping ? { grouping } : {}, tools }
    remapped(message, maps.of(projectId, state, { leftMs: mapWaitMs }), rules).then(
      (result) => post({ kind: 'done', job, result }, [result.tsv.buffer]),
      (error: unknown) => post({ kind: 'failed', job, reason: faultOf(error) }),
    )
  })
}
