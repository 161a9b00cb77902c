import type { OutcomeReason } from '../../base/outcome.ts'
import type { RestArrivals } from '../../contract/projects.ts'
import type { App } from '../../processes/parts.ts'
import type { Project } from '../../store/meta/meta.ts'

const hourMs = 3_600_000

/** User-readable reasons of outcomes. */
const sentences: Record<OutcomeReason, string> = {
  ok: 'Stored.',
  not_stored_yet: 'It was counted. This version does not store this kind yet.',
  unsupported: 'It was counted. SDKs gave up this kind, and Mishap never stores it.',
  unknown_item_type: 'The type of the item is unknown.',
  key_limit: 'The rate limit of the project key was reached.',
  attachment_quota: 'The project sent too many attachments without an event in this hour.',
  organization_limit: 'The rate limit of the organization was reached.',
  too_large: 'It was over its size limit.',
  too_many_items: 'The envelope held too many items of this kind.',
  bad_json: 'It was not JSON.',
  bad_envelope: 'The envelope was malformed.',
  bad_item: 'The item was malformed.',
  bad_encoding: 'The compressed body was broken.',
  bad_event_id: 'Its event id was malformed.',
  no_key: 'No project key was given.',
  unknown_key: 'No project has this key.',
  disabled_key: 'The project key is disabled.',
  origin: 'The project does not accept events from this origin.',
  project_mismatch: 'Key and project did not match.',
  overloaded: 'More arrived than Mishap could process.',
  disk_budget: 'It was stored, and later downsampled to stay within the disk budget.',
  disk_full: 'The disk was full.',
  event_missing: 'The event of this attachment is unknown.',
  same_event_id: 'An event with the same id arrived before.',
  failed: 'It could not be processed and became a dead letter.',
  sent_again: 'It was a dead letter and was sent again.',
  deleted: 'It was a dead letter, and somebody deleted it.',
  discarded: 'Filtered: it belongs to an issue that was deleted for good.',
  browser_extension: 'Inbound filter: a browser extension threw it.',
  legacy_browser: 'Inbound filter: the browser is too old.',
  localhost: 'Inbound filter: the page was on localhost.',
  web_crawler: 'Inbound filter: a crawler was the visitor.',
  hydration_error: 'Inbound filter: React could not hydrate the page.',
  chunk_load_error: 'Inbound filter: a file of an older build was gone.',
  error_message: 'Inbound filter: the message matched.',
  release_version: 'Inbound filter: the release matched.',
  ip_address: 'Inbound filter: the address matched.',
  csp_source: 'Inbound filter: the source of the security policy report matched.',
  sdk: 'The SDK reported that it discarded it.',
}

/** Returns what the set-up screen shows: last key use, first event, items of the last 1 to 2 hours, newest issue and release, whether maps are missing. */
export async function arrivalsOf(app: App, project: Project): Promise<RestArrivals> {
  const used = (await app.meta.projects.keysOf(project.id)).flatMap((key) =>
    key.lastUsedMs === null ? [] : [key.lastUsedMs],
  )
  const items = new Map<string, RestArrivals['items'][number]>()
  // Counts are per hour, so include the hour in which the last sixty minutes began.
  for (const row of await app.meta.ledger.outcomesSince({
    projectIds: [project.id],
    fromMs: Math.floor((app.clock.now() - hourMs) / hourMs) * hourMs,
  })) {
    const { itemType, category, outcome, reason, quantity } = row
    if (outcome === 'received') continue
    const name = `${itemType} ${category} ${outcome} ${reason}`
    const counts = items.get(name)
    if (counts) counts.quantity += quantity
    else items.set(name, { itemType, category, outcome, reason, quantity, sentence: sentences[reason] ?? reason })
  }
  const newest = (await app.meta.issues.listIssues({ projectIds: [project.id], sort: 'first', max: 1 }))[0]
  return {
    connection: used.length ? new Date(Math.max(...used)).toISOString() : null,
    firstEvent: project.firstEventMs === null ? null : new Date(project.firstEventMs).toISOString(),
    items: [...items.values()].sort((a, b) => b.quantity - a.quantity),
    newestIssue: newest ? { id: String(newest.id), shortId: newest.shortId, title: newest.title } : null,
    newestRelease: (await app.meta.issues.releasesOf([project.id], 1))[0]?.version ?? null,
    missesMaps: (await app.meta.artifacts.missingMapCounts(project.id)).quantity > 0,
  }
}
