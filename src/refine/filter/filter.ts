import { hash } from 'node:crypto'
import type { RecordHead } from '../../journal/journal.ts'
import type { ProjectSettings } from '../../store/meta/meta.ts'
import type { FilteredEvent } from '../../store/meta/projects/inbound-filters.ts'
import type { Context, Tools } from '../pipeline/context.ts'
import type { Draft } from '../pipeline/draft.ts'
import { droppedSteps } from '../pipeline/step.ts'
import { createFilter, type Dropped } from './rules.ts'

/** Maximum bytes of a sampled payload. */
const payloadBytesMax = 64 * 1024
const sampledOf = 100

/** Applies the project's filters to a normalized, not yet scrubbed event. Undefined: the event is not filtered. */
export function filtered(
  draft: Draft,
  settings: ProjectSettings,
  tools: Tools,
  { userAgent, clientAddress }: RecordHead,
): Dropped | undefined {
  const { filters } = settings
  if (!filters) return undefined
  let check = tools.filtersOf.get(filters)
  if (!check) {
    check = createFilter(filters)
    tools.filtersOf.set(filters, check)
  }
  return check(draft.event, { userAgent, address: clientAddress })
}

/** Whether a dropped event is in the sample of 1 in 100. It depends on the position, which no sender can choose. */
const isSampled = (jpos: number): boolean =>
  Number.parseInt(hash('md5', `filtered ${jpos}`, 'hex').slice(0, 8), 16) % sampledOf === 0

/** The scrubbed sample of a dropped event: 1 in 100 events give a sample, the others undefined. */
export function sampleOf(
  draft: Draft,
  context: Context,
  { reason, why }: Dropped,
  jpos: number,
): FilteredEvent | undefined {
  if (!isSampled(jpos)) return undefined
  for (const step of droppedSteps) step.run(draft, context)
  const payload = JSON.stringify(draft.event)
  const { projectId, receivedMs } = context.head
  return {
    projectId,
    reason,
    eventId: context.eventId,
    receivedMs,
    title: draft.event.findings.title,
    // The address is scrubbed like the other addresses.
    why: reason === 'ip_address' && context.settings.scrubIpAddresses ? '' : why,
    payload: Buffer.byteLength(payload) > payloadBytesMax ? '' : payload,
  }
}
