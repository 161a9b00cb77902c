import type { Alerts } from '../alert/alert.ts'
import {
  checkedConfig,
  configOf,
  fieldsOf,
  hasSigningSecret,
  newSigningSecret,
  sealedConfigOf,
} from '../alert/channel.ts'
import { type Confirms, confirmationOf } from '../alert/confirm.ts'
import { addressesIn } from '../alert/recipients.ts'
import type { Seal } from '../auth/seal.ts'
import { MishapError } from '../base/errors.ts'
import type { ChannelConfig, ChannelKind, ChannelSubscription } from '../domain/alerts/channel-kinds.ts'
import type { Channel } from '../store/meta/issues/alerts.ts'
import type { Organization } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** Maximum channels of an organization: each new issue reads all of them. */
const channelsMax = 50

type Deps = {
  meta: MetaWith<
    | 'projects.projectBySlug'
    | 'alerts.channelsOf'
    | 'alerts.createChannel'
    | 'alerts.updateChannel'
    | 'alerts.retainAddresses'
  >
  seal: Seal
}
/** Whether the caller may manage members. Without it, nobody sets the fields that decide as whom clicks in Slack act. */
type Rights = { mayManageMembers: boolean }
/** Asks addresses that do not belong to members whether they want the mails. */
type AsksToConfirm = { alerts: Pick<Alerts, 'askToConfirm'> }

/** Input for a channel. `target` and `config` have the fields of the kind. `project` is a slug; null: all projects. */
type NewChannelText = {
  kind: ChannelKind
  name: string
  target?: string | undefined
  config?: ChannelConfig | undefined
  project: string | null
  subscription?: ChannelSubscription | undefined
}

/** Changes to a channel. Absent fields stay. `project` is a slug; null or '' means all projects. */
export type ChannelChange = {
  name?: string | undefined
  target?: string | undefined
  config?: ChannelConfig | undefined
  subscription?: ChannelSubscription | undefined
  project?: string | null | undefined
  active?: boolean | undefined
}

async function projectIdOf({ meta }: Deps, organizationId: number, slug: string | null): Promise<number | null> {
  if (slug === null || slug === '') return null
  const project = await meta.projects.projectBySlug(organizationId, slug)
  if (!project) throw new MishapError('VALIDATION', { fields: { project: ['There is no such project.'] } })
  return project.id
}

/** Throws AUTH_FORBIDDEN if somebody changes a managed field who may not manage members. */
function demandRights(
  kind: ChannelKind,
  before: ChannelConfig,
  after: ChannelConfig,
  { mayManageMembers }: Rights,
): void {
  if (mayManageMembers) return
  const changed = fieldsOf(kind).filter(
    ({ name, isManaged }) => isManaged && (before[name] ?? '') !== (after[name] ?? ''),
  )
  if (changed.length === 0) return
  const names = changed.map(({ name }) => name).join(', ')
  throw new MishapError('AUTH_FORBIDDEN', {
    detail: `Only owners and admins, or a token with the scope org:admin of one of them, set ${names}: it decides as whom clicks act.`,
  })
}

/**
 * Stores a channel. `secret`: the signing secret of a generic webhook, shown once, else null. Throws VALIDATION,
 * AUTH_FORBIDDEN.
 */
export async function addChannel(
  deps: Deps,
  organizationId: number,
  text: NewChannelText,
  rights: Rights,
): Promise<{ channel: Channel; secret: string | null }> {
  if ((await deps.meta.alerts.channelsOf(organizationId)).length >= channelsMax)
    throw new MishapError('VALIDATION', { fields: { name: [`At most ${channelsMax} channels.`] } })
  const secret = hasSigningSecret(text.kind) ? newSigningSecret() : null
  // The form sends all fields of the kind together; older callers send the target beside them.
  const given = text.target === undefined ? {} : { target: text.target }
  const config = checkedConfig(text.kind, { target: '', ...text.config, ...given })
  demandRights(text.kind, {}, config, rights)
  const channel = await deps.meta.alerts.createChannel({
    organizationId,
    projectId: await projectIdOf(deps, organizationId, text.project),
    kind: text.kind,
    name: text.name,
    ...sealedConfigOf(deps.seal, config),
    ...(text.subscription === undefined ? {} : { subscription: text.subscription }),
    sealedSecret: secret === null ? '' : deps.seal.seal(secret),
  })
  return { channel, secret }
}

/** Returns the addresses that a channel had before and still has. Their owners need not confirm again. */
function retainedAddresses({ seal }: Deps, before: Channel, target: string): string[] {
  const now = target.toLowerCase().split(',')
  try {
    return addressesIn(seal, before).filter((item) => now.includes(item.toLowerCase()))
  } catch {
    // The secrets of the data folder have changed, so the old target cannot be opened.
    return []
  }
}

const originOf = (url = ''): string => (URL.canParse(url) ? new URL(url).origin : '')

/**
 * Throws VALIDATION if a stored secret would be sent to another origin than the one that it was entered for. Whoever may
 * change a channel must not be able to read its token that way.
 */
function demandSecretsAgain(kind: ChannelKind, before: ChannelConfig, after: ChannelConfig, given: ChannelConfig) {
  const fields = fieldsOf(kind)
  const moved = fields.find(({ name, type }) => type === 'url' && originOf(before[name]) !== originOf(after[name]))
  if (!moved) return
  const stored = fields.filter(({ name, type }) => type === 'secret' && before[name] && given[name] === undefined)
  if (stored.length === 0) return
  const sentence = `The stored value stays at ${originOf(before[moved.name])}. Enter the one for the new address. If that needs none, create another channel.`
  throw new MishapError('VALIDATION', { fields: Object.fromEntries(stored.map(({ name }) => [name, [sentence]])) })
}

/** Returns the values of the fields after a change; undefined if it changes none. Fields left empty stay. */
function changedConfig(
  { seal }: Deps,
  channel: Channel,
  change: ChannelChange,
  rights: Rights,
): ChannelConfig | undefined {
  const given = { ...change.config, ...(change.target === undefined ? {} : { target: change.target }) }
  if (Object.keys(given).length === 0) return undefined
  const before = openConfig(seal, channel)
  const after = checkedConfig(channel.kind, { ...before, ...given })
  demandRights(channel.kind, before, after, rights)
  demandSecretsAgain(channel.kind, before, after, given)
  return after
}

/** Returns the stored values; none if the secrets of the data folder have changed, so that all must be given again. */
function openConfig(seal: Seal, channel: Channel): ChannelConfig {
  try {
    return configOf(seal, channel)
  } catch {
    return {}
  }
}

/** Stores the given fields of a channel. Throws VALIDATION with fields, AUTH_FORBIDDEN, NOT_FOUND. */
export async function changeChannel(
  deps: Deps,
  channel: Channel,
  change: ChannelChange,
  rights: Rights,
): Promise<Channel> {
  const config = changedConfig(deps, channel, change, rights)
  const { target } = change.target === undefined ? {} : (config ?? {})
  const changed = await deps.meta.alerts.updateChannel(channel.id, {
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.active === undefined ? {} : { active: change.active }),
    ...(change.project === undefined
      ? {}
      : { projectId: await projectIdOf(deps, channel.organizationId, change.project) }),
    ...(change.subscription === undefined ? {} : { subscription: change.subscription }),
    ...(config === undefined ? {} : sealedConfigOf(deps.seal, config)),
  })
  if (target !== undefined) await deps.meta.alerts.retainAddresses(channel.id, retainedAddresses(deps, channel, target))
  return changed
}

/** Creates a channel and asks its non-member addresses to confirm. Throws like `addChannel`. */
export async function createChannel(
  deps: Deps & AsksToConfirm,
  organizationId: number,
  text: NewChannelText,
  rights: Rights,
): Promise<{ channel: Channel; secret: string | null }> {
  const created = await addChannel(deps, organizationId, text, rights)
  await deps.alerts.askToConfirm(created.channel)
  return created
}

/** Changes a channel and asks new non-member addresses to confirm. Throws like `changeChannel`. */
export async function updateChannel(
  deps: Deps & AsksToConfirm,
  channel: Channel,
  change: ChannelChange,
  rights: Rights,
): Promise<Channel> {
  const changed = await changeChannel(deps, channel, change, rights)
  if (change.target !== undefined) await deps.alerts.askToConfirm(changed)
  return changed
}

/** Deletes a channel and its log. */
export async function deleteChannel(
  { meta }: { meta: MetaWith<'alerts.deleteChannel'> },
  channelId: number,
): Promise<void> {
  await meta.alerts.deleteChannel(channelId)
}

/** Confirms the address of a mailed link. Returns undefined when the link is no longer valid. */
export async function confirmAddress(
  { meta, clock }: Confirms & { meta: MetaWith<'alerts.confirmAddress'> },
  secret: string,
): Promise<{ organization: Organization; address: string } | undefined> {
  const confirmation = await confirmationOf({ meta, clock }, secret)
  if (!confirmation || !(await meta.alerts.confirmAddress(secret, clock.now()))) return undefined
  return { organization: confirmation.organization, address: confirmation.address }
}
