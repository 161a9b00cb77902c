import type { OutcomeReason } from '../base/outcome.ts'
import type { IngestKey } from '../store/meta/meta.ts'

type Window = { startMs: number; endMs: number; used: number }

/** The limit that refused an item, and the seconds to wait. */
export type Limited = {
  scope: 'key' | 'project' | 'organization'
  reason: OutcomeReason
  retryAfterS: number
  /** Categories that must wait; absent: all that can be limited. */
  categories?: string
}

/** All categories except `internal`: client reports are never limited. JavaScript SDKs say metric and profile. */
const limitedCategories =
  'default;error;transaction;security;attachment;attachment_item;session;profile;profile_chunk;profile_chunk_ui;replay;monitor;feedback;span;log_item;log_byte;metric_bucket;metric;trace_metric'

/** Returns the X-Sentry-Rate-Limits value: `<retry>:<categories>:<scope>:<reason>`. */
export function rateLimitHeader(limited: Limited): string {
  const { retryAfterS, categories = limitedCategories, scope, reason } = limited
  return `${retryAfterS}:${categories}:${scope}:${reason}`
}

export type Rates = {
  /** Takes one item from the budgets of key and organization at `nowMs`. Returns the exhausted limit, if any. */
  take(key: IngestKey, nowMs: number): Limited | undefined
}

/** Creates rate counters with fixed windows in memory. A restart resets them. */
export function createRates(organizationEventsPerMinute: number): Rates {
  const keys = new Map<number, Window>()
  const organizations = new Map<number, Window>()

  function windowOf(windows: Map<number, Window>, id: number, lengthMs: number, nowMs: number): Window {
    let window = windows.get(id)
    if (
      window === undefined ||
      nowMs >= window.endMs ||
      window.endMs - window.startMs !== lengthMs ||
      nowMs < window.startMs
    ) {
      window = { startMs: nowMs, endMs: nowMs + lengthMs, used: 0 }
      windows.set(id, window)
    }
    return window
  }
  const waitS = (window: Window, nowMs: number) => Math.max(1, Math.ceil((window.endMs - nowMs) / 1000))

  return {
    take: (key, nowMs) => {
      const ofKey = key.rateLimit ? windowOf(keys, key.keyId, key.rateLimit.windowS * 1000, nowMs) : undefined
      if (ofKey && key.rateLimit && ofKey.used >= key.rateLimit.count) {
        return { scope: 'key', reason: 'key_limit', retryAfterS: waitS(ofKey, nowMs) }
      }
      if (organizationEventsPerMinute > 0) {
        const ofAll = windowOf(organizations, key.organizationId, 60_000, nowMs)
        if (ofAll.used >= organizationEventsPerMinute) {
          return { scope: 'organization', reason: 'organization_limit', retryAfterS: waitS(ofAll, nowMs) }
        }
        ofAll.used++
      }
      if (ofKey) ofKey.used++
      return undefined
    },
  }
}
