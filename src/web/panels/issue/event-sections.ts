import type { RestEvent } from '../../../contract/events.ts'
import { entryOf } from '../../client/event-entries.ts'

/** The optional sections of the page, in page order. */
export const sectionNames = [
  'message',
  'exception',
  'stacktrace',
  'threads',
  'csp',
  'breadcrumbs',
  'request',
  'user',
  'tags',
  'contexts',
  'extra',
  'release',
  'environment',
  'sdk',
  'packages',
  'debugmeta',
  'attachments',
] as const
type SectionName = (typeof sectionNames)[number]

/** Sections that most payloads lack for good reasons. They are never listed as "not sent". */
const silent: ReadonlySet<SectionName> = new Set([
  'message',
  'stacktrace',
  'threads',
  'csp',
  'debugmeta',
  'extra',
  'packages',
  'attachments',
])

/** Whether the event has data for a section. */
export function hasSection(event: RestEvent, name: SectionName): boolean {
  switch (name) {
    case 'user':
      return event.user !== null && Object.values(event.user).some((value) => value !== null && value !== '')
    case 'tags':
      return event.tags.length > 0
    case 'contexts':
      return Object.keys(event.contexts).length > 0
    case 'extra':
      return Object.keys(event.context).length > 0
    case 'release':
      return event.release !== null
    case 'environment':
      return event.environment !== null && event.environment !== ''
    case 'sdk':
      return event.sdk !== null
    case 'packages':
      return Object.keys(event.packages).length > 0
    case 'attachments':
      return event.attachments.length > 0
    case 'breadcrumbs':
      return (entryOf(event, 'breadcrumbs')?.data.values.length ?? 0) > 0
    case 'exception':
      return (entryOf(event, 'exception')?.data.values.length ?? 0) > 0
    default:
      return entryOf(event, name) !== undefined
  }
}

/** The sections that the SDK could have sent but did not, in page order. */
export function missingSections(event: RestEvent): SectionName[] {
  // A detector made the event: no SDK could have sent more.
  if (event.occurrence) return []
  const isReport = hasSection(event, 'message') || hasSection(event, 'csp')
  return sectionNames.filter(
    (name) => !silent.has(name) && !hasSection(event, name) && !(name === 'exception' && isReport),
  )
}
