import { byStart, type DetectorSegment, type DetectorSpan, endOf, type Finding } from './detector-segment.ts'

/** A paint that took longer was not held up by an asset: the page was in a background tab, or the computer slept. */
const paintMaxMs = 10_000
/** The asset must end shortly before the paint, or it did not hold it up. */
const heldMinShare = 0.5

const blocks = /^resource\.(?:script|css|link)/

/** Whether an asset came from the cache: nothing went over the network, although the browser may say sizes. */
const isCached = ({ bytes, decodedBytes }: DetectorSpan): boolean => bytes === 0 && decodedBytes > 0

/**
 * Finds scripts and styles that held up the first paint of a page. Browsers say which ones block. A paint before
 * `paintMs` is quick enough, and so is an asset of less than `durationMs`.
 */
export function detectBlockingAssets(
  segment: DetectorSegment,
  { durationMs, paintMs }: { durationMs: number; paintMs: number },
): Finding[] {
  if (segment.op !== 'pageload' || segment.paintMs < paintMs || segment.paintMs > paintMaxMs) return []
  const paintUs = segment.startUs + segment.paintMs * 1000
  const held = segment.spans.filter(
    (span) =>
      blocks.test(span.op) &&
      span.blocking === 'blocking' &&
      span.durationUs >= durationMs * 1000 &&
      !isCached(span) &&
      endOf(span) <= paintUs + 100_000 &&
      endOf(span) - segment.startUs >= segment.paintMs * 1000 * heldMinShare,
  )
  return [...Map.groupBy(held.toSorted(byStart), ({ statement }) => statement)].map(([cause, spans]) => {
    const totalUs = Math.max(...spans.map(({ durationUs }) => durationUs))
    return { cause, parentId: segment.segmentId, spans, totalUs, savedUs: totalUs }
  })
}
