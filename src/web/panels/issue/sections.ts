import type { RestEntry, RestEvent } from '../../../contract/events.ts'

/** The sections of the page that a payload may lack, in the order of the page. */
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
export type SectionName = (typeof sectionNames)[number]

/** Sections that most payloads lack for good reasons: never listed as "not sent". */
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

/** The entry of a type, or undefined. */
export function entryOf<T extends RestEntry['type']>(
  event: RestEvent,
  type: T,
): Extract<RestEntry, { type: T }> | undefined {
  return event.entries.find((entry): entry is Extract<RestEntry, { type: T }> => entry.type === type)
}

function has(event: RestEvent, name: SectionName): boolean {
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

/** Which sections the event has, and which ones the SDK did not send but could have. */
export function sectionsOf(event: RestEvent): { present: Set<SectionName>; missing: SectionName[] } {
  const present = new Set(sectionNames.filter((name) => has(event, name)))
  const traced = present.has('message') || present.has('csp')
  const missing = sectionNames.filter(
    (name) => !present.has(name) && !silent.has(name) && !(name === 'exception' && traced),
  )
  return { present, missing }
}

/** The level of each bar of a distribution: value, events and share of all events in per cent (0-100). */
export function sharesOf(
  values: readonly { value: string; count: number }[],
  total: number,
): { value: string; count: number; percent: number }[] {
  const all = Math.max(
    total,
    values.reduce((sum, item) => sum + item.count, 0),
  )
  return values.map((item) => ({ ...item, percent: all > 0 ? Math.round((item.count / all) * 100) : 0 }))
}
