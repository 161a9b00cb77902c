import { systemClock } from '../base/clock.ts'
import type { OutcomeCount } from '../base/outcome.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { JournalWriter, RecordHead } from '../journal/journal.ts'

type KeyUse = ReturnType<Ingest['drainUses']>[number]

/**
 * Records ingest's rejections and key uses: one summed record per second. While the journal accepts nothing (its limit,
 * a full disk) they are summed up here, so that no outcome is lost.
 */
export function createOutcomeRecorder(journal: () => JournalWriter, ingest: Ingest): () => Promise<void> {
  const waiting = { outcomes: new Map<string, OutcomeCount>(), uses: new Map<number, KeyUse>() }
  return async () => {
    for (const count of ingest.drainOutcomes()) {
      const { quantity, bytes, ...labels } = count
      const key = JSON.stringify(labels)
      const before = waiting.outcomes.get(key)
      waiting.outcomes.set(
        key,
        before ? { ...before, quantity: before.quantity + quantity, bytes: before.bytes + bytes } : count,
      )
    }
    for (const use of ingest.drainUses()) waiting.uses.set(use.keyId, use)
    if (waiting.outcomes.size === 0 && waiting.uses.size === 0) return
    const sent = { outcomes: [...waiting.outcomes.values()], uses: [...waiting.uses.values()] }
    const head: RecordHead = {
      kind: 'outcomes',
      receivedMs: systemClock.now(),
      projectId: 0,
      organizationId: 0,
      keyId: 0,
      clientAddress: '',
      userAgent: '',
      origin: '',
      contentType: 'application/json',
    }
    const drained = { outcomes: new Map(waiting.outcomes), uses: new Map(waiting.uses) }
    waiting.outcomes.clear()
    waiting.uses.clear()
    await journal()
      .append(head, Buffer.from(JSON.stringify(sent)))
      .catch(() => {
        for (const [key, count] of drained.outcomes) {
          const since = waiting.outcomes.get(key)
          waiting.outcomes.set(
            key,
            since ? { ...count, quantity: count.quantity + since.quantity, bytes: count.bytes + since.bytes } : count,
          )
        }
        for (const [key, use] of drained.uses) if (!waiting.uses.has(key)) waiting.uses.set(key, use)
      })
  }
}
