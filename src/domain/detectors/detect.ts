import { detectBlockingAssets } from './detect-assets.ts'
import { detectRepeatedQueries, detectSlowQueries } from './detect-queries.ts'
import { detectConsecutiveRequests } from './detect-requests.ts'
import type { DetectorSegment, Finding } from './detector-segment.ts'
import { type DetectorId, detectorIds, type ProjectDetectors } from './detectors.ts'

type Run = (segment: DetectorSegment, thresholds: (name: string) => number) => Finding[]

const runs: Readonly<Record<DetectorId, Run>> = {
  nPlusOneQueries: (segment, of) =>
    detectRepeatedQueries(segment, { countMin: of('countMin'), totalMs: of('totalMs') }),
  slowQueries: (segment, of) => detectSlowQueries(segment, { durationMs: of('durationMs') }),
  consecutiveRequests: (segment, of) =>
    detectConsecutiveRequests(segment, { countMin: of('countMin'), durationMs: of('durationMs') }),
  renderBlockingAssets: (segment, of) =>
    detectBlockingAssets(segment, { durationMs: of('durationMs'), paintMs: of('paintMs') }),
}

/** Findings of one detector in a segment that become events: those with the most time. Senders decide how many there are. */
const findingsMax = 10

const byTotal = (a: Finding, b: Finding): number => b.totalUs - a.totalUs

/**
 * Runs the active detectors of a project over one segment, and passes the number of findings above the limit to
 * `onSkipped`. Pure: the same spans give the same findings.
 */
export function detect(
  segment: DetectorSegment,
  settings: ProjectDetectors,
  onSkipped: (findings: number) => void = () => {},
): { detector: DetectorId; finding: Finding }[] {
  return detectorIds.flatMap((detector) => {
    const { active, thresholds } = settings[detector]
    if (!active) return []
    const found = runs[detector](segment, (name) => thresholds[name] ?? 0)
    if (found.length > findingsMax) onSkipped(found.length - findingsMax)
    const kept = found.length > findingsMax ? found.toSorted(byTotal).slice(0, findingsMax) : found
    return kept.map((finding) => ({ detector, finding }))
  })
}
