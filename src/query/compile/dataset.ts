import type { Dataset } from '../../domain/datasets.ts'
import type { Asked, Filter, Value } from '../../store/events/question.ts'
import type { CompileDeps, View } from '../issues/issue.ts'
import type { SearchKey } from '../search/key.ts'
import type { KeyLookup } from '../search/lookup.ts'
import type { FieldType } from './functions.ts'

/** What a search is about: where and by whom. */
export type PlanView = Pick<View, 'projects' | 'environments' | 'range' | 'meUserId'>

/**
 * A kind of data that plans ask about: a description of its fields. There is one compiler for all of them, so whatever
 * it can do, it can do with each.
 */
export type DatasetFields = {
  name: Dataset
  /** Table of the events store. */
  from: Asked
  /** Keys of the search with the values that they stand for. Every other name is an attribute. */
  keys: readonly SearchKey[]
  keyOf: KeyLookup
  /** Fields that are more than keys of the search, or have other values. Looked up first. */
  fieldOf?: KeyLookup
  /** The text column that has JSON, and how paths into it begin. */
  json?: { prefix: string; column: string }
  /** A text column whose values have an order, the number column with it, and the least number of each value. */
  levels?: { column: string; number: string; from: Readonly<Record<string, number>> }
  /** What free text is compared with, and how. */
  text: { value: Value; match: 'like' | 'words' }
  /** Ids that a pasted text finds, by their number of digits. */
  ids: Readonly<Record<number, Value>>
  /** What `p95()` and so on mean without a field. Undefined: they need a field. */
  measured: { name: string; value: Value; type: FieldType } | undefined
  /** Functions that it has beyond those of every dataset. */
  functions: readonly string[]
  /** Rows stand for others, so counts are extrapolated. */
  isSampled: boolean
  /** A name outside the keys is wrong: rows have no attributes. */
  isClosed?: true
  /** Shortest bucket of a series. */
  bucketMsMin?: number
  /** The word for what one row is, in sentences of errors. */
  word: string
  /** Reads the filter of a search, where it asks more than the columns of the rows. */
  filterOf?: (
    deps: CompileDeps,
    view: Pick<PlanView, 'projects' | 'environments' | 'meUserId'>,
    text: string,
  ) => Promise<Filter | undefined>
}
