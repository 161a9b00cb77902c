import type { RecordKind } from '../../journal/journal.ts'
import { attachmentKind, formBody } from './attachment/items.ts'
import { clientReportKind, countedKind } from './counted/counted.ts'
import { eventKind, eventWindow, storeBody } from './error/events.ts'
import { feedbackKind } from './feedback/items.ts'
import type { AnyBodyKind, AnyItemKind, RepeatWindow } from './kind.ts'
import { logKind, logWindow } from './log/logs.ts'
import { minidumpBody } from './minidump/crashes.ts'
import { otlpLogsBody } from './otlp/logs.ts'
import { otlpBody } from './otlp/otlp.ts'
import { detectionBody } from './performance/performance.ts'
import { securityBody, securityKind } from './security/reports.ts'
import { sessionKind, sessionWindow } from './session/session.ts'
import { spanItemWindow, spanKind, transactionKind, transactionWindow } from './span/spans.ts'

/** All kinds of items that are refined. Other item types are only counted. Add an entry here for a new kind. */
const itemKinds: readonly AnyItemKind[] = [
  eventKind,
  feedbackKind,
  transactionKind,
  spanKind,
  securityKind,
  attachmentKind,
  sessionKind,
  logKind,
  clientReportKind,
]

/** All kinds of records whose body is not an envelope. */
const bodyKinds: readonly AnyBodyKind[] = [
  storeBody,
  securityBody,
  formBody,
  minidumpBody,
  otlpBody,
  otlpLogsBody,
  detectionBody,
]

/** All dedup windows. */
export const repeatWindows: readonly RepeatWindow[] = [
  eventWindow,
  transactionWindow,
  spanItemWindow,
  sessionWindow,
  logWindow,
]

const kindsByType: ReadonlyMap<string, AnyItemKind> = new Map(
  itemKinds.flatMap((kind) => kind.itemTypes.map((type): [string, AnyItemKind] => [type, kind])),
)

/** The kind that refines an item type. */
export const kindOf = (itemType: string): AnyItemKind => kindsByType.get(itemType) ?? countedKind

/** The kind of a record's body; undefined for an envelope. */
export const bodyKindOf = (record: RecordKind): AnyBodyKind | undefined =>
  bodyKinds.find((kind) => kind.record === record)
