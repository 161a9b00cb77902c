import { MishapError } from '../../base/errors.ts'
import { planLimits } from '../../domain/datasets.ts'
import { bucketOf } from '../range.ts'
import type { DatasetFields, PlanView } from './dataset.ts'

const wrong = (sentence: string) => new MishapError('VALIDATION', { fields: { interval: [sentence] } })

/**
 * Returns the length of the buckets of a series; without an interval, that of about 120 buckets. Throws VALIDATION for too many.
 */
export function bucketMsOf(
  { bucketMsMin = 1000, word }: DatasetFields,
  range: PlanView['range'],
  intervalMs: number | undefined,
): number {
  if (intervalMs === undefined) return Math.max(bucketMsMin, bucketOf(range, 120))
  if (!Number.isInteger(intervalMs) || intervalMs < 1000) throw wrong('At least a second.')
  if (bucketMsMin > 1000 && intervalMs % bucketMsMin > 0)
    throw wrong(`${word} are counted by whole hours, such as 3600000.`)
  if ((range.toMs - range.fromMs) / intervalMs > planLimits.buckets)
    throw wrong(`It makes more than ${planLimits.buckets} buckets. Choose a longer interval or a shorter range.`)
  return intervalMs
}
