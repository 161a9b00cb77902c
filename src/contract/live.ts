/** Messages of the live stream (`event: change`): changes after a commit. */
export type LiveChange =
  | { kind: 'events'; projects: { id: string; issues: { id: string; events: number; isNew: boolean }[] }[] }
  | { kind: 'issue'; id: string }
  | { kind: 'engine'; up: boolean }
  /** The stream resumed after an id that is too old. Some changes are lost, so clients must reload everything once. */
  | { kind: 'missed' }
