/** Messages of the live stream (`event: change`): what changed after a commit. */
export type LiveChange =
  | { kind: 'events'; projects: { id: string; issues: { id: string; events: number; isNew: boolean }[] }[] }
  | { kind: 'issue'; id: string }
  | { kind: 'engine'; up: boolean }
  /** The stream was resumed after an id so old that changes since then are forgotten: read everything once. */
  | { kind: 'missed' }
