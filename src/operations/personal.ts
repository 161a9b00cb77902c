import { type Unsubscription, unsubscriptionOf } from '../alert/personal.ts'
import type { Seal } from '../auth/seal.ts'
import { MishapError } from '../base/errors.ts'
import type { PersonalChange } from '../contract/alerts/personal.ts'
import { isTimeZone } from '../domain/alerts/on-call.ts'
import { type PersonalSettings, type ProjectChoice, withoutMail } from '../domain/alerts/personal.ts'
import type { Organization } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

type Deps = {
  meta: MetaWith<'personal.personalSettingsOf' | 'personal.setPersonalSettings' | 'projects.projectBySlug'>
}

const invalid = (field: string, sentence: string) => new MishapError('VALIDATION', { fields: { [field]: [sentence] } })

/** Each place of a kind once. */
const eachOnce = (kinds: Extract<ProjectChoice, object>['kinds']) =>
  Object.fromEntries(Object.entries(kinds).map(([kind, places]) => [kind, places && [...new Set(places)]]))

async function projectChoicesOf(
  { meta }: Deps,
  organizationId: number,
  bySlug: Record<string, ProjectChoice>,
): Promise<Record<string, ProjectChoice>> {
  const byId: Record<string, ProjectChoice> = {}
  for (const [slug, choice] of Object.entries(bySlug)) {
    const project = await meta.projects.projectBySlug(organizationId, slug)
    if (!project) throw invalid('projects', `There is no project ${slug}.`)
    byId[project.id] = typeof choice === 'object' ? { kinds: eachOnce(choice.kinds) } : choice
  }
  return byId
}

/**
 * Changes the given fields of what a person wants to hear of an organization. Throws VALIDATION with fields, CONFLICT for
 * an outdated revision.
 */
export async function changePersonalSettings(
  deps: Deps,
  organizationId: number,
  userId: string,
  change: PersonalChange,
): Promise<{ settings: PersonalSettings; rev: number }> {
  const { settings: before } = await deps.meta.personal.personalSettingsOf(organizationId, userId)
  const timeZone = change.timeZone ?? before.timeZone
  if (!isTimeZone(timeZone)) throw invalid('timeZone', 'An IANA time zone such as Europe/Berlin.')
  if (change.quietHours && change.quietHours.from === change.quietHours.to)
    throw invalid('quietHours', 'The end must differ from the start.')
  const kinds = { ...before.kinds }
  for (const kind of Object.keys(kinds) as (keyof typeof kinds)[])
    kinds[kind] = [...new Set(change.kinds?.[kind] ?? kinds[kind])]
  const settings: PersonalSettings = {
    kinds,
    digest: change.digest ?? before.digest,
    report: change.report ?? before.report,
    projects: change.projects ? await projectChoicesOf(deps, organizationId, change.projects) : before.projects,
    quietHours: change.quietHours === undefined ? before.quietHours : change.quietHours,
    timeZone,
  }
  const rev = await deps.meta.personal.setPersonalSettings(organizationId, userId, settings, change.revision)
  return { settings, rev }
}

type UnsubscribeDeps = {
  meta: MetaWith<
    | 'personal.personalSettingsOf'
    | 'personal.setPersonalSettings'
    | 'organizations.organizationById'
    | 'organizations.memberOf'
  >
  seal: Pick<Seal, 'open'>
}

/** Returns the organization and kind of a link; undefined for a forged link, or if the person has left. */
export async function unsubscriptionTarget(
  { meta, seal }: UnsubscribeDeps,
  token: string,
): Promise<{ organization: Organization; unsubscription: Unsubscription } | undefined> {
  const unsubscription = unsubscriptionOf({ seal }, token)
  if (!unsubscription) return undefined
  const { organizationId, userId } = unsubscription
  const organization = await meta.organizations.organizationById(organizationId)
  if (!organization || !(await meta.organizations.memberOf(organizationId, userId))) return undefined
  return { organization, unsubscription }
}

/** Ends the kind of mail that a link names. Returns undefined, and changes nothing, for a link that is not valid. */
export async function unsubscribe(
  deps: UnsubscribeDeps,
  token: string,
): Promise<{ organization: Organization; unsubscription: Unsubscription } | undefined> {
  const target = await unsubscriptionTarget(deps, token)
  if (!target) return undefined
  const { organizationId, userId, kind } = target.unsubscription
  const { settings } = await deps.meta.personal.personalSettingsOf(organizationId, userId)
  await deps.meta.personal.setPersonalSettings(organizationId, userId, withoutMail(settings, kind))
  return target
}
