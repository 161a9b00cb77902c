import type { RestEvent } from '../../../contract/events.ts'
import type { RestIssueDetail } from '../../../contract/issues.ts'
import { entryOf } from '../../client/event-entries.ts'
import { hasSection } from './event-sections.ts'

/** The sections of the page in the order of their keys 1 to 7. */
export const sectionIds = ['stack', 'timeline', 'browser', 'request', 'tags', 'contexts', 'activity'] as const
type SectionId = (typeof sectionIds)[number]

export type PageSection = {
  id: SectionId
  /** Its text: a performance issue has evidence in the place of a stack. */
  name: SectionId | 'evidence'
  /** The element's id. */
  anchor: string
  /** Its key. */
  number: number
  count: number | undefined
}

type Found = Pick<PageSection, 'anchor'> & { name?: 'evidence'; count?: number }

/** The section that explains the error: its stack, else what there is instead. */
function stackOf(event: RestEvent): Found | undefined {
  if (event.occurrence) return { anchor: 'evidence', name: 'evidence' }
  if (hasSection(event, 'exception')) return { anchor: 'exceptions' }
  for (const name of ['message', 'stacktrace', 'threads', 'csp'] as const)
    if (entryOf(event, name)) return { anchor: name }
  return undefined
}

/** The sections that the issue and its event have, in page order. */
export function sectionsOf(
  detail: Pick<RestIssueDetail, 'browserSide' | 'activity'>,
  event: RestEvent | undefined,
): PageSection[] {
  const has = (name: Parameters<typeof hasSection>[1]) => event !== undefined && hasSection(event, name)
  const crumbs = event ? (entryOf(event, 'breadcrumbs')?.data.values.length ?? 0) : 0
  const browser = detail.browserSide.events
  const found: Record<SectionId, Found | false | undefined> = {
    stack: event && stackOf(event),
    // With a trace, its log lines and spans are in the timeline too. They are loaded later, so their number is unknown.
    timeline: crumbs > 0 && { anchor: 'breadcrumbs', ...(event?.traceId === null ? { count: crumbs } : {}) },
    browser: browser > 0 && { anchor: 'browser-side', count: browser },
    request: has('request') && { anchor: 'request' },
    tags: has('tags') && { anchor: 'tags', count: event?.tags.length ?? 0 },
    contexts: (has('contexts') || has('extra')) && { anchor: 'contexts' },
    activity: { anchor: 'activity', count: detail.activity.length },
  }
  return sectionIds.flatMap((id, at) => {
    const section = found[id]
    return section ? [{ id, name: id, number: at + 1, count: undefined, ...section }] : []
  })
}
