import { type DetectionRecord, groupTexts, titleOf } from '../../../domain/detectors/detection.ts'
import { detectionHash } from '../../../domain/detectors/detection-ids.ts'
import { detectorIds, detectorTitles, issueTypeOf } from '../../../domain/detectors/detectors.ts'
import type { NormalEvent } from '../../../domain/event.ts'
import { normalizeId } from '../../../wire/ids.ts'
import { newDraft } from '../../pipeline/draft.ts'
import { ended } from '../../pipeline/item-outcome.ts'
import type { Forms } from '../../pipeline/lines.ts'
import { object, own, parsePayload, scalar } from '../../pipeline/value.ts'
import { groupOf } from '../error/events.ts'
import { makeEffect, rowOf } from '../error/row.ts'
import { bodyKind, isStored } from '../kind.ts'

const itemType = 'detection'
const category = 'performance_issue'

/** Reads a record. Only process app writes them; undefined for one that a later version wrote in another form. */
function readRecord(body: Buffer): DetectionRecord | undefined {
  const parsed = parsePayload(body)
  const value = 'broken' in parsed ? undefined : object(parsed.value)
  const detection = value && object(own(value, 'detection'))
  if (!value || !detection) return undefined
  const isKnown = detectorIds.some((id) => id === own(detection, 'detector'))
  return isKnown && normalizeId(own(value, 'eventId')) && Array.isArray(own(detection, 'spans'))
    ? (value as unknown as DetectionRecord)
    : undefined
}

/** Makes the event of a detection. Its texts come from stored spans, which are scrubbed. */
function eventOf(record: DetectionRecord, receivedMs: number): NormalEvent {
  const { eventId, environment, release, platform, detection } = record
  const { event } = newDraft({}, eventId)
  const issueType = issueTypeOf(detection.detector)
  const place: Partial<NormalEvent> = {
    ...(environment ? { environment } : {}),
    ...(release ? { release } : {}),
    ...(detection.route ? { transaction: detection.route.slice(0, 200).toWellFormed() } : {}),
  }
  return {
    ...event,
    ...place,
    timestamp: Math.min(receivedMs / 1000, (detection.startUs + detection.segmentUs) / 1e6),
    received: receivedMs / 1000,
    platform: scalar(platform) || 'other',
    level: 'info',
    type: 'generic',
    contexts: {
      trace: {
        trace_id: detection.traceId,
        span_id: detection.spans[0]?.id ?? detection.parentId,
        parent_span_id: detection.parentId,
        op: detection.op,
      },
    },
    findings: {
      ...event.findings,
      title: titleOf(detection),
      culprit: detection.route.slice(0, 200).toWellFormed(),
      metadata: { type: detectorTitles[issueType], value: detection.cause.slice(0, 1000).toWellFormed() },
      kind: issueType,
      performance: detection,
      grouping: {
        version: 1,
        variants: [
          {
            name: 'built_in_fingerprint',
            contributes: true,
            hash: detectionHash(detection),
            why: 'detector, statement and route',
            values: groupTexts(detection)
              .slice(1)
              .map((text) => text.slice(0, 200).toWellFormed()),
          },
        ],
      },
    },
  }
}

/** What a detector found in stored spans: one event of a performance issue (docs/detectors.md). */
export const detectionBody = bodyKind<DetectionRecord | undefined>({
  record: 'detection',
  read: (_work, body) => readRecord(body),
  countsAs: () => 1,
  refine: (work, record, body) => {
    const { head, settings, out } = work
    const { jpos } = work.record
    const end = (outcome: 'invalid' | 'filtered' | 'stored', reason: 'bad_item' | 'discarded' | 'ok') =>
      ended(work, itemType, category, outcome, reason, body.length)
    if (!record) {
      out.outcomes.push(end('invalid', 'bad_item'))
      return
    }
    const event = eventOf(record, head.receivedMs)
    const forms: Forms = { normal: JSON.stringify(event), received: '', sent: undefined }
    const made = rowOf(event, forms, { projectId: head.projectId, jpos, receivedMs: head.receivedMs })
    const row = { ...made, type: 'generic' }
    const isGone = settings.removed === true || settings.discardedHashes?.includes(row.groupHash) === true
    const place = work.made++
    if (isGone && !isStored(work, 'events', jpos)) {
      work.discardedAt.set(place, 'discarded')
      out.outcomes.push(end('filtered', 'discarded'))
      return
    }
    out.groups.push({
      ...groupOf(row, place),
      outcomes: [end('stored', 'ok')],
      effect: makeEffect(event, row, 0),
      forms,
    })
  },
})
