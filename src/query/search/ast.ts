/** The meaning of a search text, before it is planned for a store. Pure: the browser imports it too. */

/**
 * A value to find. With `wild` it is a pattern: `*` matches any run of characters, `\*` and `\\` the character itself.
 * Without `wild` the text is literal.
 */
export type TextPattern = { text: string; wild: boolean }

export type Compare = '<' | '<=' | '=' | '>=' | '>'

/** A point in time: fixed (ms since 1970) or that many ms before now. */
export type Moment = { atMs: number } | { agoMs: number }

/** Unit of a measured value: a number, milliseconds, bytes, or percent. */
export type Measured = 'number' | 'duration' | 'size' | 'percent'

/** A leaf; `at` is the position of its first character in the text. */
export type Term =
  /** Words to find; `wild` as in Wanted. */
  | { op: 'text'; value: string; wild: boolean; quoted: boolean; at: number }
  | { op: 'match'; key: string; tag: boolean; values: TextPattern[]; at: number }
  | { op: 'has'; key: string; tag: boolean; at: number }
  | { op: 'is'; value: string; at: number }
  /** `tag`: the tag of that name, read as a number. */
  | { op: 'number'; key: string; tag?: true; compare: Compare; value: number; at: number }
  | { op: 'date'; key: string; compare: Compare; moment: Moment; at: number }
  | { op: 'flag'; key: string; value: boolean; at: number }
  /** A duration, or an aggregate such as p95(x). Spans and transactions have these; error events do not. */
  | { op: 'measure'; key: string; aggregate: boolean; compare: Compare; value: number; unit: Measured; at: number }

export type Search = { op: 'and' | 'or'; of: Search[] } | { op: 'not'; of: Search } | Term
