import {
  type PersonalKind,
  type PersonalSettings,
  type Place,
  personalKinds,
  reachOf,
  type SummaryKind,
  summaryKinds,
} from '../domain/alerts/personal.ts'
import type { Person } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** How a message reaches a person. `email`: the address; undefined if mail is not wanted. */
type Reach = {
  person: Person
  places: readonly Place[]
  /** Messages wait until the quiet hours end. */
  notBeforeMs: number
  /** Ends this kind of mail by one POST. */
  unsubscribe: string
}

type Seals = { seal(text: string): string }

type ReachDeps = {
  meta: MetaWith<'personal.personalSettingsOf' | 'organizations.memberOf' | 'people.personById'>
  clock: { now(): number }
  seal: Seals
  url: string
}

/**
 * Returns where a message reaches a person and from when; undefined if it must not be sent: the person does not want it,
 * or has left the organization. `projectId` null: a message about several projects.
 */
export async function whereToReach(
  deps: ReachDeps,
  userId: string,
  message: { organizationId: number; projectId: number | null; kind: PersonalKind; isCritical: boolean },
): Promise<Reach | undefined> {
  const { organizationId, kind } = message
  const person = await deps.meta.people.personById(userId)
  if (!person || !(await deps.meta.organizations.memberOf(organizationId, userId))) return undefined
  const { settings } = await deps.meta.personal.personalSettingsOf(organizationId, userId)
  const { places, notBeforeMs } = reachOf(settings, message, deps.clock.now())
  if (places.length === 0) return undefined
  return { person, places, notBeforeMs, unsubscribe: unsubscribeLink(deps, { organizationId, userId, kind }) }
}

// ---- one-click unsubscribe

/** What a link ends: one kind of mail of one person in one organization. */
export type Unsubscription = { organizationId: number; userId: string; kind: PersonalKind | SummaryKind }

const purpose = 'unsubscribe'
const kinds: readonly string[] = [...personalKinds, ...summaryKinds]

/**
 * Returns the address for List-Unsubscribe. The token is sealed, so nobody can make or change it, and it names its
 * purpose, so no other sealed text passes for it. It does not expire: a person may find an old mail first.
 */
export function unsubscribeLink(
  { seal, url }: { seal: Seals; url: string },
  { organizationId, userId, kind }: Unsubscription,
): string {
  return `${url}/api/0/unsubscribe/?token=${seal.seal(JSON.stringify([purpose, organizationId, userId, kind]))}`
}

/** Returns the page with a button for an address of `unsubscribeLink`: the link in the text of a mail. */
export const unsubscribePage = (link: string): string => link.replace('/api/0/unsubscribe/?', '/unsubscribe?')

const tokenCharactersMax = 1000

/** Returns what a token ends; undefined for a forged or changed token. */
export function unsubscriptionOf(
  { seal }: { seal: { open(sealed: string): string } },
  token: string,
): Unsubscription | undefined {
  if (token.length > tokenCharactersMax) return undefined
  try {
    const [name, organizationId, userId, kind, ...rest] = JSON.parse(seal.open(token)) as unknown[]
    if (name !== purpose || typeof organizationId !== 'number' || typeof userId !== 'string' || rest.length > 0)
      return undefined
    if (typeof kind !== 'string' || !kinds.includes(kind)) return undefined
    return { organizationId, userId, kind: kind as Unsubscription['kind'] }
  } catch {
    return undefined
  }
}

/** Returns whether a person still gets a kind of mail. */
export const getsMail = (settings: PersonalSettings, kind: Unsubscription['kind']): boolean =>
  kind === 'digest'
    ? settings.digest !== 'off'
    : kind === 'report'
      ? settings.report
      : settings.kinds[kind].includes('email') ||
        Object.values(settings.projects).some(
          (choice) => typeof choice === 'object' && choice.kinds[kind]?.includes('email'),
        )
