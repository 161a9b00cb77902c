import { randomBytes, randomUUID } from 'node:crypto'
import type { Actor } from '../auth/auth.ts'
import type { Seal } from '../auth/seal.ts'
import type { Config } from '../base/config.ts'
import { MishapError } from '../base/errors.ts'
import { hostedUrls, type TrackerKind } from '../domain/alerts/trackers.ts'
import type { Issue } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { ExternalIssue } from '../store/meta/trackers/external-issues.ts'
import type { Integration } from '../store/meta/trackers/integrations.ts'
import { shownFailure, trackerWith, withTracker } from '../trackers/connection.ts'
import { type CreateDeps, createTrackerIssue } from '../trackers/create.ts'
import type { IssueText, TrackerDeps } from '../trackers/tracker.ts'

/** Maximum connections of an organization. */
const integrationsMax = 50
const urlCharactersMax = 500

/** The parts of the app that calls of trackers need. */
type Parts = Pick<TrackerDeps, 'clock' | 'observe' | 'outgoing'> & { seal: Seal; config: Pick<Config, 'url'> }

/** The input of calls to trackers, from the parts of the app. */
export function trackerDeps<M>({
  clock,
  observe,
  outgoing,
  seal,
  config,
  meta,
}: Parts & { meta: M }): Omit<TrackerDeps, 'meta'> & { meta: M } {
  return { clock, observe, outgoing, url: config.url, open: seal.open, meta }
}

/** Input of a connection. `secret`: of the webhook; absent: a new secret. */
type IntegrationText = {
  kind: TrackerKind
  name: string
  url?: string | undefined
  target: string
  email?: string | undefined
  token: string
  secret?: string | undefined
  syncState?: boolean | undefined
  syncComments?: boolean | undefined
}

type Fields = Record<string, string[]>

const invalid = (fields: Fields) => new MishapError('VALIDATION', { fields })

/** The base address of a service's API. Throws VALIDATION. */
function baseOf(kind: TrackerKind, text: string): string {
  const trimmed = text.trim().replace(/\/+$/, '')
  if (trimmed === '' && hostedUrls[kind] !== '') return hostedUrls[kind]
  const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash
  if (!url || !isPlain || trimmed.length > urlCharactersMax)
    throw invalid({ url: ['An http or https address without a user name, password, query or fragment.'] })
  if (kind !== 'github') return trimmed
  if (url.hostname === 'github.com') return hostedUrls.github
  // GitHub Enterprise Server has its API below the address that people know.
  return url.hostname === 'api.github.com' || url.pathname !== '/' ? trimmed : `${url.origin}/api/v3`
}

const targetForms: Readonly<Record<TrackerKind, [form: RegExp, sentence: string]>> = {
  github: [/^[\w.-]{1,100}\/[\w.-]{1,100}$/, 'The repository as owner/name.'],
  gitlab: [/^[\w.-]{1,100}(?:\/[\w.-]{1,100}){1,20}$/, 'The project as group/name.'],
  jira: [/^[A-Z][A-Z0-9_]{0,40}$/, 'The key of the project, such as WEB.'],
  linear: [/^[A-Z][A-Z0-9]{0,20}$/, 'The key of the team, such as WEB.'],
}

function targetOf(kind: TrackerKind, text: string): string {
  const [form, sentence] = targetForms[kind]
  const target = kind === 'jira' || kind === 'linear' ? text.trim().toUpperCase() : text.trim()
  if (!form.test(target) || target.split('/').some((part) => part === '.' || part === '..'))
    throw invalid({ target: [sentence] })
  return target
}

function emailOf(kind: TrackerKind, text: string): string {
  const email = kind === 'jira' ? text.trim() : ''
  if (email !== '' && !/^[^\s@:]{1,64}@[^\s@:]{1,189}$/.test(email)) throw invalid({ email: ['An e-mail address.'] })
  return email
}

function tokenOf(text: string): string {
  const token = text.trim()
  // Printable ASCII only: it becomes a header.
  if (!/^[\x21-\x7e]{8,2000}$/.test(token)) throw invalid({ token: ['The token as the service shows it.'] })
  return token
}

function secretOf(text: string): string {
  const secret = text.trim()
  if (!/^[\x21-\x7e]{16,200}$/.test(secret)) throw invalid({ secret: ['16 to 200 characters without spaces.'] })
  return secret
}

const newSecret = () => `mht_${randomBytes(24).toString('base64url')}`

type ConnectDeps = Parts & { meta: MetaWith<'trackers.integrationsOf' | 'trackers.createIntegration'> }

/**
 * Connects a tracker after the service accepted the token. Returns the webhook's secret, which is shown once. Throws
 * VALIDATION with the service's own words, OUTGOING_*.
 */
export async function connectTracker(
  deps: ConnectDeps,
  organizationId: number,
  text: IntegrationText,
  actor: Actor,
): Promise<{ integration: Integration; secret: string }> {
  const { kind } = text
  if ((await deps.meta.trackers.integrationsOf(organizationId)).length >= integrationsMax)
    throw invalid({ name: [`At most ${integrationsMax} connections.`] })
  const described = {
    kind,
    url: baseOf(kind, text.url ?? ''),
    target: targetOf(kind, text.target),
    email: emailOf(kind, text.email ?? ''),
  }
  const token = tokenOf(text.token)
  const secret = text.secret ? secretOf(text.secret) : newSecret()
  const account = await checked(deps, described, token)
  const integration = await deps.meta.trackers.createIntegration({
    organizationId,
    ...described,
    ...account,
    name: text.name.trim() || described.target,
    sealedToken: deps.seal.seal(token),
    sealedSecret: deps.seal.seal(secret),
    syncState: text.syncState ?? true,
    syncComments: text.syncComments ?? false,
    connectedBy: actor.person.id,
  })
  return { integration, secret }
}

async function checked(deps: Parts, described: Parameters<typeof trackerWith>[1], token: string) {
  try {
    return await trackerWith(deps, described, token).check()
  } catch (error) {
    throw shownFailure(error)
  }
}

/** Changes of a connection. Absent fields stay. */
type IntegrationChange = { [Field in keyof Omit<IntegrationText, 'kind'>]?: IntegrationText[Field] | undefined }

type ChangeDeps = Parts & { meta: MetaWith<'trackers.updateIntegration'> }

/** Asks the service about a changed token, address or target. The person of a new token is who must reconnect later. */
async function reconnected(deps: ChangeDeps, integration: Integration, change: IntegrationChange, actor: Actor) {
  const { kind } = integration
  const described = {
    kind,
    url: change.url === undefined ? integration.url : baseOf(kind, change.url),
    target: change.target === undefined ? integration.target : targetOf(kind, change.target),
    email: change.email === undefined ? integration.email : emailOf(kind, change.email),
  }
  // The stored token never goes to another address.
  if (described.url !== integration.url && !change.token)
    throw invalid({ token: ['Enter a token for the new address.'] })
  let token: string
  try {
    token = change.token ? tokenOf(change.token) : deps.seal.open(integration.sealedToken)
  } catch (error) {
    throw error instanceof MishapError ? error : invalid({ token: ['Enter the token again.'] })
  }
  const account = await checked(deps, described, token)
  const { url, target, email } = described
  return { url, target, email, ...account, sealedToken: deps.seal.seal(token), connectedBy: actor.person.id }
}

/** Changes a connection. Throws like `connectTracker`. */
export async function changeTracker(
  deps: ChangeDeps,
  integration: Integration,
  change: IntegrationChange,
  actor: Actor,
): Promise<Integration> {
  const { name, token, url, target, email, secret, syncState, syncComments } = change
  const isConnection = Boolean(token) || url !== undefined || target !== undefined || email !== undefined
  return deps.meta.trackers.updateIntegration(integration.id, {
    ...(name === undefined ? {} : { name }),
    ...(syncState === undefined ? {} : { syncState }),
    ...(syncComments === undefined ? {} : { syncComments }),
    ...(secret ? { sealedSecret: deps.seal.seal(secretOf(secret)) } : {}),
    ...(isConnection ? await reconnected(deps, integration, change, actor) : {}),
  })
}

/** Replaces the webhook's secret. Returns the new secret, which is shown once. */
export async function renewTrackerSecret(deps: ChangeDeps, integration: Integration): Promise<string> {
  const secret = newSecret()
  await deps.meta.trackers.updateIntegration(integration.id, { sealedSecret: deps.seal.seal(secret) })
  return secret
}

/** Deletes a connection and its links. */
export const disconnectTracker = (
  { meta }: { meta: MetaWith<'trackers.deleteIntegration'> },
  id: number,
): Promise<void> => meta.trackers.deleteIntegration(id)

/** Asks the service who the token belongs to. Throws VALIDATION with its own words, OUTGOING_*. */
export async function testTracker(
  deps: Parts & { meta: MetaWith<'trackers.setIntegrationError'> },
  integration: Integration,
): Promise<string> {
  try {
    return (await withTracker(trackerDeps(deps), integration, (tracker) => tracker.check())).account
  } catch (error) {
    throw shownFailure(error)
  }
}

/** Creates a tracker issue for a person. Throws VALIDATION with the service's own words, OUTGOING_*. */
export async function createExternalIssue(
  deps: Parts & { meta: CreateDeps['meta'] },
  integration: Integration,
  issue: Issue,
  actor: Actor,
  text: Partial<IssueText>,
): Promise<ExternalIssue> {
  const options = { origin: `person-${randomUUID()}`, userId: actor.person.id, text }
  try {
    return await createTrackerIssue(trackerDeps(deps), integration, issue, options)
  } catch (error) {
    throw shownFailure(error)
  }
}

type LinkDeps = Parts & {
  meta: MetaWith<
    | 'trackers.setIntegrationError'
    | 'trackers.reserveExternal'
    | 'trackers.completeExternal'
    | 'trackers.deleteExternal'
  >
}

/** Links an existing tracker issue by its address or key. Throws VALIDATION, CONFLICT if it is linked, OUTGOING_*. */
export async function linkExternalIssue(
  deps: LinkDeps,
  integration: Integration,
  issue: Issue,
  actor: Actor,
  name: string,
): Promise<ExternalIssue> {
  const { trackers } = deps.meta
  let id: number | undefined
  try {
    const found = await withTracker(trackerDeps(deps), integration, async (tracker) => {
      const externalId = tracker.idOf(name)
      if (externalId === undefined)
        throw invalid({ issue: [`An issue of ${integration.target}, by its address or key.`] })
      return tracker.issue(externalId)
    })
    const origin = { integrationId: integration.id, issueId: issue.id, origin: `link-${randomUUID()}` }
    const reserved = await trackers.reserveExternal({ ...origin, createdBy: actor.person.id }, deps.clock.now())
    id = reserved.link.id
    return await trackers.completeExternal(id, found)
  } catch (error) {
    if (id !== undefined) await trackers.deleteExternal(id)
    throw shownFailure(error)
  }
}

/** Removes a link. The tracker issue stays as it is. */
export const unlinkExternalIssue = (
  { meta }: { meta: MetaWith<'trackers.deleteExternal'> },
  id: number,
): Promise<void> => meta.trackers.deleteExternal(id)
