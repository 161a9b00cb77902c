import { hash } from 'node:crypto'
import { type Detection, groupTexts } from './detection.ts'

type Cause = Pick<Detection, 'detector' | 'cause' | 'route'>

/** The group of a detection, 16 hex digits. It does not depend on the project's version of grouping. */
export const detectionHash = (detection: Cause): string =>
  hash('md5', groupTexts(detection).join('\n'), 'hex').slice(0, 16)

/** The id of a detection's event: the same cause in the same trace is one event, however often it is found. */
export const detectionEventId = (detection: Cause & Pick<Detection, 'traceId'>): string =>
  hash('md5', [detection.traceId, ...groupTexts(detection)].join('\n'), 'hex')
