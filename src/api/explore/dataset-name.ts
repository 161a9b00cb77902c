import { MishapError } from '../../base/errors.ts'
import type { Dataset } from '../../domain/datasets.ts'

/** Names of datasets as clients send them. A transaction is a segment span here, and `discover` has both. */
const names: Readonly<Record<string, Dataset>> = {
  errors: 'errors',
  spans: 'spans',
  transactions: 'spans',
  discover: 'spans',
  spansIndexed: 'spans',
  spansMetrics: 'spans',
  logs: 'logs',
  ourlogs: 'logs',
  tracemetrics: 'metrics',
  metrics: 'metrics',
  outcomes: 'outcomes',
}
const listed = ['errors', 'spans', 'logs', 'tracemetrics', 'discover']

/** Returns the dataset of a request that names rows of the events store. Throws VALIDATION for any other name. */
export function rowDatasetOf(
  name: string | undefined,
  ordinary: Exclude<Dataset, 'outcomes'>,
  parameter = 'dataset',
): Exclude<Dataset, 'outcomes'> {
  if (name === undefined || name === '') return ordinary
  const found = Object.hasOwn(names, name) ? names[name] : undefined
  if (found && found !== 'outcomes') return found
  const sentence = `${JSON.stringify(name)} is not supported. One of ${listed.join(', ')}.`
  throw new MishapError('VALIDATION', { fields: { [parameter]: [sentence] } })
}
