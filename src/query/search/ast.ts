/** What a search text means, before anyone knows where it will run. Pure; the browser imports it too. */

/** One wanted value; `wild` says that `*` stands for any run of characters (`\*` is a literal star). */
export type Wanted = { text: string; wild: boolean }

export type Compare = '<' | '<=' | '=' | '>=' | '>'

/** A point in time: fixed (ms since 1970) or that many ms before now. */
export type Moment = { atMs: number } | { agoMs: number }

/** A leaf; `at` is the position of its first character in the text. */
export type Term =
  | { op: 'text'; value: string; quoted: boolean; at: number }
  | { op: 'match'; key: string; tag: boolean; values: Wanted[]; at: number }
  | { op: 'has'; key: string; tag: boolean; at: number }
  | { op: 'is'; value: string; at: number }
  | { op: 'number'; key: string; compare: Compare; value: number; at: number }
  | { op: 'date'; key: string; compare: Compare; moment: Moment; at: number }
  | { op: 'flag'; key: string; value: boolean; at: number }
  /** A well-formed condition on something that error events do not have (durations, aggregates): nothing meets it. */
  | { op: 'nothing'; key: string; at: number }

export type Search = { op: 'and' | 'or'; of: Search[] } | { op: 'not'; of: Search } | Term
