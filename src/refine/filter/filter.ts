import { hash } from 'node:crypto'
import type { RecordHead } from '../../journal/journal.ts'
import type { ProjectSettings } from '../../store/meta/meta.ts'
import type { FilteredEvent } from '../../store/meta/projects/inbound-filters.ts'
import type { Context, Tools } from '../pipeline/context.ts'
import type { Draft } from '../pipeline/draft.ts'
import { droppedSteps } from '../pipeline/step.ts'
import { createFilter, type Dropped } from './rules.ts'

/** Bytes of a payload that is kept to look at. */
const payloadBytesMax = 64 * 1024
const sampledOf = 100

/** What the project's filters say of an event that is normalized and not yet scrubbed; undefined: it is kept. */
export function filtered(
  draft: Draft,
  settings: ProjectSettings,
  tools: Tools,
  { userAgent, clientAddress }: RecordHead,
): Dropped | undefined {
  const { filters } = settings
  if (!filters) return undefined
  let ask = tools.filtersOf.get(filters)
  if (!ask) {
    ask = createFilter(filters)
    tools.filtersOf.set(filters, ask)
  }
  return ask(draft.event, { userAgent, address: clientAddress })
}

/** Whether a dropped event is one of the hundredth that is kept: by its place, which no sender chooses. */
const isSampled = (jpos: number): boolean =>
  Number.parseInt(hash('md5', `filtered ${jpos}`, 'hex').slice(0, 8), 16) % sampledOf === 0

/** The sample of 1 in 100 dropped events, scrubbed like a stored event, to be kept; undefined for the others. */
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
    // Which address it was goes with the other addresses.
    why: reason === 'ip_address' && context.settings.scrubIpAddresses ? '' : why,
    payload: Buffer.byteLength(payload) > payloadBytesMax ? '' : payload,
  }
}
