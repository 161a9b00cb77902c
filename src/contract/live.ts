/** Messages of the live stream (`event: change`): changes after a commit. */
export type LiveChange =
  | { kind: 'events'; projects: { id: string; issues: { id: string; events: number; isNew: boolean }[] }[] }
  | { kind: 'issue'; id: string }
  /** `host`: the ClickHouse server that stores the events; undefined for the embedded store. */
  | { kind: 'engine'; up: boolean; host?: string }
  /** The database, where it is a PostgreSQL server. */
  | { kind: 'database'; up: boolean }
  /** The stream resumed after an id that is too old. Some changes are lost, so clients must reload everything once. */
  | { kind: 'missed' }
