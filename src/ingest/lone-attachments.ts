import type { ItemSpan } from '../wire/envelope.ts'
import { dumpAttachmentType } from '../wire/minidump.ts'
import type { Limited } from './rates.ts'

/** Minimum cost of an attachment: even a small file takes a disk block. */
const leastBytes = 4096
const windowMs = 3_600_000

/** Items in the same envelope that can own an attachment. A minidump creates an event itself. */
const owners: ReadonlySet<string> = new Set(['event', 'feedback', 'transaction', 'replay_event'])

/** Returns the item indexes of attachments in an envelope that has no item they could belong to. */
export function unlinkedAttachments(items: readonly ItemSpan[]): ReadonlySet<number> {
  const isOwned = items.some(
    ({ type, headers }) =>
      owners.has(type) || (type === 'attachment' && headers.attachment_type === dumpAttachmentType),
  )
  return new Set(isOwned ? [] : items.flatMap(({ type }, index) => (type === 'attachment' ? [index] : [])))
}

export type AttachmentQuota = {
  /** Takes `bytes` of `files` files from the project's hourly budget. Returns the limit if they do not fit. */
  take(projectId: number, bytes: number, nowMs: number, files?: number): Limited | undefined
}

/**
 * Limits attachments that name an event but arrive without it. Ingest cannot know whether that event exists, and no
 * event rate limits them: without this quota one key could fill the disk. Counts in fixed hours, in memory, like the
 * rates. `bytesPerHour` 0 means no limit.
 */
export function createAttachmentQuota(bytesPerHour: number): AttachmentQuota {
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
