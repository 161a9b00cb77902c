import type { Limits } from '../../store/events/question.ts'

/** Time and memory of one query of an alert rule or of its back-test (docs/alerts-metrics.md). */
export const queryLimits: Limits = { seconds: 20, memoryBytes: 400 * 2 ** 20 }
