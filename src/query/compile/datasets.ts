import type { Dataset } from '../../domain/datasets.ts'
import { outcomeKeyOf, outcomeKeys } from '../explore/outcome-keys.ts'
import { logKeyOf, logKeys } from '../logs/keys.ts'
import { metricKeyOf, metricKeys } from '../metrics/metric-keys.ts'
import { searchKeys } from '../search/keys.ts'
import { searchKeyOf } from '../search/lookup.ts'
import { spanKeyOf, spanKeys } from '../traces/span-keys.ts'
import type { DatasetFields } from './dataset.ts'
import { errorFieldOf, errorFilter } from './error-search.ts'

const traceAndSpan = { 32: { of: 'id', column: 'trace' }, 16: { of: 'id', column: 'span' } } as const

const errors: DatasetFields = {
  name: 'errors',
  from: 'events',
  keys: searchKeys,
  keyOf: searchKeyOf,
  fieldOf: errorFieldOf,
  text: { value: { of: 'text', column: 'message' }, match: 'like' },
  ids: {},
  measured: undefined,
  functions: [],
  isSampled: false,
  word: 'errors',
  filterOf: errorFilter,
}

const spans: DatasetFields = {
  name: 'spans',
  from: 'spans',
  keys: spanKeys,
  keyOf: spanKeyOf,
  text: { value: { of: 'text', column: 'label' }, match: 'like' },
  ids: traceAndSpan,
  measured: {
    name: 'span.duration',
    value: { of: 'number', column: 'duration' },
    type: { type: 'duration', unit: 'millisecond' },
  },
  functions: ['failure_count', 'failure_rate', 'apdex', 'performance_score', 'tpm', 'tps'],
  isSampled: true,
  word: 'spans',
}

const logs: DatasetFields = {
  name: 'logs',
  from: 'logs',
  keys: logKeys,
  keyOf: logKeyOf,
  json: { prefix: 'body', column: 'body' },
  // OpenTelemetry's numbers of severities: four for each level.
  levels: {
    column: 'level',
    number: 'severity',
    from: { trace: 1, debug: 5, info: 9, warning: 13, warn: 13, error: 17, fatal: 21 },
  },
  text: { value: { of: 'text', column: 'body' }, match: 'words' },
  ids: traceAndSpan,
  measured: undefined,
  functions: ['failure_count', 'failure_rate'],
  isSampled: true,
  word: 'logs',
}

const metrics: DatasetFields = {
  name: 'metrics',
  from: 'metrics',
  keys: metricKeys,
  keyOf: metricKeyOf,
  text: { value: { of: 'text', column: 'name' }, match: 'like' },
  ids: traceAndSpan,
  measured: { name: 'value', value: { of: 'number', column: 'value' }, type: { type: 'number', unit: null } },
  functions: [],
  isSampled: false,
  word: 'metrics',
}

const outcomes: DatasetFields = {
  name: 'outcomes',
  from: 'outcomes',
  keys: outcomeKeys,
  keyOf: outcomeKeyOf,
  text: { value: { of: 'text', column: 'reason' }, match: 'like' },
  ids: {},
  measured: { name: 'quantity', value: { of: 'number', column: 'quantity' }, type: { type: 'integer', unit: null } },
  functions: [],
  isSampled: false,
  isClosed: true,
  // The ledger counts by hours.
  bucketMsMin: 3_600_000,
  word: 'outcomes',
}

/** Datasets of the events store. Outcomes are in the meta store. */
export type RowDataset = Exclude<Dataset, 'outcomes'>

const all: Readonly<Record<Dataset, DatasetFields>> = { errors, spans, logs, metrics, outcomes }

/** Returns the description of a dataset. */
export const fieldsOfDataset = (name: Dataset): DatasetFields => all[name]
