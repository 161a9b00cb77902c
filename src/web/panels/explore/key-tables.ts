import type { Dataset } from '../../../domain/datasets.ts'
import { logKeyOf, logKeys } from '../../../query/logs/keys.ts'
import { metricKeyOf, metricKeys } from '../../../query/metrics/metric-keys.ts'
import { spanKeyOf, spanKeys } from '../../../query/traces/span-keys.ts'
import { issueKeys, type KeyTable } from '../search/complete.ts'

const spans: KeyTable = { offered: spanKeys, keyOf: spanKeyOf, dataset: 'spans', words: 'spans' }
const logs: KeyTable = { offered: logKeys, keyOf: logKeyOf, dataset: 'logs', words: 'logs' }
const metrics: KeyTable = { offered: metricKeys, keyOf: metricKeyOf, dataset: 'metrics', words: 'metrics' }
/** A box that takes every name: the server says what is wrong. */
const open: KeyTable = { offered: [], keyOf: () => undefined, words: 'search' }
const tables: Readonly<Record<Dataset, KeyTable>> = { errors: issueKeys, spans, logs, metrics, outcomes: open }

/** The keys of the search box over a dataset. */
export const exploreKeyTable = (dataset: Dataset): KeyTable => tables[dataset]
