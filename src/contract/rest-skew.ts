import type { SkewKind } from '../domain/diagnostics.ts'
import type { RestPoint } from './rest.ts'

/** Skew after one deploy of a release: GET organizations/{org}/releases/{version}/skew/ (docs/diagnostics.md). */
export type RestSkew = {
  /** Where it was deployed; null: no deploy was told, so it is since the release came up, everywhere. */
  environment: string | null
  from: string
  to: string
  /** Why it ends there: the next release came, two days are over, or it is now. */
  until: 'deploy' | 'limit' | 'now'
  events: number
  /**
   * Who is known by id, e-mail, name or address. `recovered`: an event of the new release without skew came later, or any
   * without skew a minute later; `stuck`: skew again a minute later or more, and nothing else since; `unknown`: the others.
   */
  people: { all: number; recovered: number; stuck: number; unknown: number }
  kinds: { kind: SkewKind; sentence: string; events: number }[]
  /** The releases that the old tabs named, the most events first; '' for none. */
  releases: { release: string; events: number }[]
  /** By ten minutes, over more than eight hours by the hour. */
  points: RestPoint[]
  /** Whether the last ten minutes have at least half of the average; null before half an hour is over. */
  lasts: boolean | null
  issues: { id: string; shortId: string; title: string; project: string; events: number }[]
}
