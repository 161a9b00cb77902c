import type { Dataset } from '../../domain/datasets.ts'
import type { Scope } from '../../store/events/events.ts'
import { fieldsOfDataset } from '../compile/datasets.ts'
import type { QueryDeps } from '../issues/issue.ts'
import { datasetTags } from './dataset-attributes.ts'

/** Attributes in use that are offered. */
const attributesMax = 200
/** Fields of the ledger. It has no attributes. */
const outcomeFields = ['timestamp', 'category', 'outcome', 'reason', 'project', 'key', 'quantity']

/**
 * Names of fields of a dataset for completion: its own, then the attributes in use, most rows first. Throws
 * STORE_UNAVAILABLE, QUERY_TIMEOUT.
 */
export async function fieldNamesOf(deps: Pick<QueryDeps, 'events'>, dataset: Dataset, scope: Scope): Promise<string[]> {
  if (dataset === 'outcomes') return outcomeFields
  const own = fieldsOfDataset(dataset)
    .keys.filter(({ source }) => source.in !== 'presence')
    .map(({ name }) => name)
  const sent = await datasetTags(deps, dataset, scope, attributesMax)
  return [...new Set([...own, ...sent.map(({ key }) => key)])]
}
