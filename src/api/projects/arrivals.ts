import type { OutcomeReason } from '../../base/outcome.ts'
import type { RestArrivals } from '../../contract/projects.ts'
import type { App } from '../../processes/parts.ts'
import type { Project } from '../../store/meta/meta.ts'

const hourMs = 3_600_000

/** User-readable reasons of outcomes. */
const sentences: Record<OutcomeReason, string> = {
  ok: 'Stored.',
  not_stored_yet: 'Arrived and was counted; this version does not store this kind yet.',
  unknown_item_type: 'The item’s type is not known.',
  key_limit: 'The rate limit of the project key was reached.',
  attachment_quota: 'The project sent too many attachments without an event in this hour.',
  organization_limit: 'The rate limit of the organization was reached.',
  too_large: 'It was over its size limit.',
  too_many_items: 'The envelope held too many items of this kind.',
  bad_json: 'It was no JSON.',
  bad_envelope: 'The envelope was malformed.',
  bad_item: 'The item was malformed.',
  bad_encoding: 'The compressed body was broken.',
  bad_event_id: 'Its event id was malformed.',
  no_key: 'No project key was given.',
  unknown_key: 'No project has this key.',
  disabled_key: 'The project key is disabled.',
  origin: 'The project does not accept events from this origin.',
  project_mismatch: 'Key and project did not belong together.',
  overloaded: 'More arrived than could be processed.',
  disk_budget: 'It was stored, and taken out since to hold the disk budget.',
  disk_full: 'The disk was full.',
  event_missing: 'The event that it belongs to is not known.',
  same_event_id: 'An event with the same id had arrived before.',
  failed: 'It could not be processed and was set aside.',
  sent_again: 'It was set aside, and then sent again.',
  deleted: 'It was set aside, and then deleted by a person.',
  discarded: 'Filtered: it belongs to an issue that was deleted for good.',
  browser_extension: 'A filter of the project: an extension of the browser threw it.',
  legacy_browser: 'A filter of the project: the browser is too old.',
  localhost: 'A filter of the project: the page was on localhost.',
  web_crawler: 'A filter of the project: a crawler was the visitor.',
  hydration_error: 'A filter of the project: React could not hydrate the page.',
  chunk_load_error: 'A filter of the project: a file of an older build was gone.',
  error_message: 'A filter of the project: its list of messages.',
  release_version: 'A filter of the project: its list of releases.',
  ip_address: 'A filter of the project: its list of addresses.',
  csp_source: 'A filter of the project: its list of sources that its pages disallow.',
  sdk: 'The SDK discarded it itself and said so.',
}

/** Returns last key use, first event, items of the last 1 to 2 hours and newest issue, for the waiting screen. */
export function arrivalsOf(app: App, project: Project): RestArrivals {
  const used = app.meta.keysOf(project.id).flatMap((key) => (key.lastUsedMs === null ? [] : [key.lastUsedMs]))
  const items = new Map<string, RestArrivals['items'][number]>()
  // Counts are per hour, so include the hour in which the last sixty minutes began.
  for (const row of app.meta.outcomesSince({
    projectIds: [project.id],
    fromMs: Math.floor((app.clock.now() - hourMs) / hourMs) * hourMs,
  })) {
    const { itemType, category, outcome, reason, quantity } = row
    if (outcome === 'received') continue
    const name = `${itemType} ${category} ${outcome} ${reason}`
    const known = items.get(name)
    if (known) known.quantity += quantity
    else items.set(name, { itemType, category, outcome, reason, quantity, sentence: sentences[reason] ?? reason })
  }
  const newest = app.meta.listIssues({ projectIds: [project.id], sort: 'first', max: 1 })[0]
  return {
    connection: used.length ? new Date(Math.max(...used)).toISOString() : null,
    firstEvent: project.firstEventMs === null ? null : new Date(project.firstEventMs).toISOString(),
    items: [...items.values()].sort((a, b) => b.quantity - a.quantity),
    newestIssue: newest ? { id: String(newest.id), shortId: newest.shortId, title: newest.title } : null,
  }
}
