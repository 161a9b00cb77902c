import type { ItemSpan } from '../wire/envelope.ts'
import { dumpAttachmentType } from '../wire/minidump.ts'
import type { Limited } from './rates.ts'

/** Each attachment is a file: a small one takes a block of the disk all the same. */
const leastBytes = 4096
const windowMs = 3_600_000

/** What an attachment may belong to in its own envelope. A minidump makes an event by itself. */
const owners: ReadonlySet<string> = new Set(['event', 'feedback', 'transaction', 'replay_event'])

/** Places of the attachments that come without an event: those of an envelope with nothing that they could belong to. */
export function loneAttachments(items: readonly ItemSpan[]): ReadonlySet<number> {
  const isOwned = items.some(
    ({ type, headers }) =>
      owners.has(type) || (type === 'attachment' && headers.attachment_type === dumpAttachmentType),
  )
  return new Set(isOwned ? [] : items.flatMap(({ type }, index) => (type === 'attachment' ? [index] : [])))
}

export type LoneQuota = {
  /** Takes `files` of together `bytes` from the project's budget of this hour; says so when they do not fit. */
  take(projectId: number, bytes: number, nowMs: number, files?: number): Limited | undefined
}

/**
 * Bounds what a project stores of attachments that name an event instead of bringing it. Nobody can say whether that event
 * exists before it is refined, and no rate of events bounds them: without this, one key could fill the disk. Counted in
 * fixed hours, in memory, as rates are. `bytesPerHour` 0: no bound.
 */
export function createLoneQuota(bytesPerHour: number): LoneQuota {
  const projects = new Map<number, { startMs: number; used: number }>()
  return {
    take: (projectId, bytes, nowMs, files = 1) => {
      if (bytesPerHour === 0) return undefined
      let window = projects.get(projectId)
      if (window === undefined || nowMs >= window.startMs + windowMs || nowMs < window.startMs) {
        window = { startMs: nowMs, used: 0 }
        projects.set(projectId, window)
      }
      const cost = Math.max(bytes, files * leastBytes)
      if (window.used + cost > bytesPerHour) {
        const retryAfterS = Math.max(1, Math.ceil((window.startMs + windowMs - nowMs) / 1000))
        return { scope: 'project', reason: 'attachment_quota', retryAfterS, categories: 'attachment;attachment_item' }
      }
      window.used += cost
      return undefined
    },
  }
}
