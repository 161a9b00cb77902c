import { readableIds } from '../../../auth/allowed-projects.ts'
import type { Actor } from '../../../auth/auth.ts'
import { eventById, eventsOfDigest } from '../../../query/events.ts'
import type { Issue, Organization } from '../../../store/meta/meta.ts'
import { normalizeId } from '../../../wire/ids.ts'
import { app } from '../../handle.ts'
import { codeOf, unlessAway } from '../../server/unless-away.ts'
import { jumpOf } from './terms.ts'

type Readable = { organization: Organization; projectIds: number[] }

/** The person's organizations, each with the projects whose issues the person may read. */
async function readable(actor: Actor): Promise<Readable[]> {
  return await Array.fromAsync(
    await app().meta.organizations.organizationsOf(actor.person.id),
    async (organization) => ({
      organization,
      projectIds: await readableIds(app(), actor, organization),
    }),
  )
}

/** Path of the event with this id in any organization of the person, or undefined. Throws STORE_UNAVAILABLE. */
export async function eventPath(actor: Actor, eventId: string): Promise<string | undefined> {
  for (const { organization, projectIds } of await readable(actor)) {
    const found = await eventById(app(), projectIds, eventId)
    if (found) return `/o/${organization.slug}/issues/${found.issue.id}/events/${found.row.eventId}`
  }
  return undefined
}

/** Path of the issue with this short id, or undefined if there is no such issue that the person may read. */
export async function shortPath(actor: Actor, shortId: string): Promise<string | undefined> {
  for (const { organization, projectIds } of await readable(actor)) {
    const issue = await app().meta.issues.issueByShortId(organization.id, shortId.toUpperCase())
    if (issue && projectIds.includes(issue.projectId)) return `/o/${organization.slug}/issues/${issue.id}`
  }
  return undefined
}

/** An organization in which a digest was searched, with its retention and the position of its live stream. */
export type SearchedOrganization = {
  slug: string
  name: string
  days: number
  liveId: number
  projects: { slug: string; name: string }[]
}

/** All organizations in which a person's digest is searched. */
export async function searchedOrganizations(actor: Actor): Promise<SearchedOrganization[]> {
  const { meta, live, config } = app()
  return await Array.fromAsync(await readable(actor), async ({ organization, projectIds }) => ({
    slug: organization.slug,
    name: organization.name,
    days: Math.min(
      (await meta.organizations.organizationSettings(organization.id)).retentionErrorsDays ??
        config.retentionErrorsDays,
      config.retentionErrorsDays,
    ),
    liveId: live.lastId(organization.id),
    projects: (await meta.projects.projectsOf(organization.id))
      .filter((project) => projectIds.includes(project.id))
      .map(({ slug, name }) => ({ slug, name })),
  }))
}

export type DigestHit = { organization: Organization; issue: Issue; eventId: string; atMs: number }

/** Events of a digest in all organizations of the person. `away`: the store is unavailable. */
export async function digestHits(actor: Actor, digest: string): Promise<{ hits: DigestHit[]; away: boolean }> {
  try {
    const hits: DigestHit[] = []
    for (const { organization, projectIds } of await readable(actor)) {
      for (const { issue, events } of await eventsOfDigest(app(), projectIds, digest)) {
        const [newest] = events
        if (newest)
          hits.push({
            organization,
            issue,
            eventId: newest.eventId,
            atMs: Math.floor(newest.timestampUs / 1000),
          })
      }
    }
    return { hits, away: false }
  } catch (error) {
    if (codeOf(error) === 'STORE_UNAVAILABLE' || codeOf(error) === 'QUERY_TIMEOUT') return { hits: [], away: true }
    throw error
  }
}

/** The path for a text that is only a digest or an id, as in the search box; undefined if not found. */
export async function existingJump(actor: Actor, text: string): Promise<string | undefined> {
  const jump = jumpOf(text)
  if (!jump || jump.isSure) return jump?.path
  const { kind, name, path } = jump
  if (kind === 'digest') return (await digestHits(actor, name)).hits.length > 0 ? path : undefined
  return kind === 'event' ? unlessAway(eventPath(actor, name)) : await shortPath(actor, name)
}

/** Path of a trace of which the person may read a span or an event, in any organization. Throws STORE_UNAVAILABLE. */
export async function tracePath(actor: Actor, traceId: string): Promise<string | undefined> {
  const { events } = app()
  const id = normalizeId(traceId)
  if (!id) return undefined
  for (const { organization, projectIds } of await readable(actor)) {
    if (projectIds.length === 0) continue
    const [refs, spans] = await Promise.all([
      events.byTraceId(projectIds, id, 1),
      events.traceSpans({ all: projectIds, readable: projectIds }, id, 1),
    ])
    if (refs.length > 0 || spans.ids.length > 0) return `/o/${organization.slug}/traces/${id}`
  }
  return undefined
}
