import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import type { TrackerKind } from '../../../domain/alerts/trackers.ts'
import { checkName } from '../database/names.ts'
import { insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'

/** A connection of an organization to an issue tracker. The caller encrypts the token and the webhook's secret. */
export type Integration = {
  id: number
  organizationId: number
  kind: TrackerKind
  name: string
  /** Base address of the service's API or site, without a trailing slash. */
  url: string
  /** Repository (`acme/web`), project key or team key that new issues go to. */
  target: string
  /** Jira's cloud needs it beside the token. */
  email: string
  /** Name and id of the person that the token belongs to, as the service reported them. */
  account: string
  accountId: string
  sealedToken: string
  sealedSecret: string
  syncState: boolean
  syncComments: boolean
  /** Who entered the token: the person who must reconnect. Null: the person is gone. */
  connectedBy: string | null
  createdMs: number
  connectedMs: number
  /** Since when the service refuses the token; null while it works. */
  refusedMs: number | null
  lastError: string
}

type NewIntegration = Omit<
  Integration,
  'id' | 'createdMs' | 'connectedMs' | 'refusedMs' | 'lastError' | 'connectedBy'
> & { connectedBy: string }
type Changeable = 'name' | 'url' | 'target' | 'email' | 'syncState' | 'syncComments'
type Connected = 'account' | 'accountId' | 'sealedToken' | 'sealedSecret' | 'connectedBy'

export type IntegrationStore = {
  createIntegration(value: NewIntegration): Promise<Integration>
  /** Changes the given fields. A new token ends the refusal. Throws NOT_FOUND, VALIDATION for another place. */
  updateIntegration(id: number, value: Partial<Pick<Integration, Changeable | Connected>>): Promise<Integration>
  /** Deletes the connection with its links. Nothing changes in the tracker. */
  deleteIntegration(id: number): Promise<void>
  integrationById(id: number): Promise<Integration | undefined>
  integrationsOf(organizationId: number): Promise<Integration[]>
  /** Stores that the service refused the token (`since` stays at the first time), or with '' that a call succeeded. */
  setIntegrationError(id: number, error: string, refused: boolean, nowMs: number): Promise<void>
}

const toIntegration = (row: Selectable<Tables['integration']>): Integration => ({
  id: row.id,
  organizationId: row.organization_id,
  kind: row.kind as TrackerKind,
  name: row.name,
  url: row.url,
  target: row.target,
  email: row.email,
  account: row.account,
  accountId: row.account_id,
  sealedToken: row.sealed_token,
  sealedSecret: row.sealed_secret,
  syncState: row.sync_state === 1,
  syncComments: row.sync_comments === 1,
  connectedBy: row.connected_by,
  createdMs: row.created_ms,
  connectedMs: row.connected_ms,
  refusedMs: row.refused_ms,
  lastError: row.last_error,
})

const given = <T, R>(value: T | undefined, columns: (value: T) => R): R | Record<never, never> =>
  value === undefined ? {} : columns(value)

/** Only comments after now are copied once the option is switched on. */
async function skipOldComments({ write, dialect: { builder } }: Store, integrationId: number): Promise<void> {
  const last = await write.get(builder.selectFrom('activity').select((build) => build.fn.max('id').as('id')))
  await write.run(
    builder
      .updateTable('external_issue')
      .set({ comment_after: Number(last?.id ?? 0) })
      .where('integration_id', '=', integrationId),
  )
}

/** States that differ now stay as they are: only later changes are sent once the option is switched on. */
async function settleStates({ write, dialect: { builder } }: Store, integrationId: number): Promise<void> {
  const resolved = builder.selectFrom('issue').select('id').where('status', '=', 'resolved')
  const mine = builder.updateTable('external_issue').where('integration_id', '=', integrationId)
  await write.run(mine.set({ issue_state: 'open' }))
  await write.run(mine.set({ issue_state: 'closed' }).where('issue_id', 'in', resolved))
}

/**
 * Throws VALIDATION for another place whose issues have the same numbers, while issues are linked: issue 12 there would
 * be closed in place of the linked issue. GitHub and GitLab number the issues of each repository, every server its own.
 */
async function demandSamePlace(
  { write, dialect: { builder } }: Store,
  old: Selectable<Tables['integration']>,
  change: { url?: string; target?: string },
): Promise<void> {
  const isNumbered = old.kind === 'github' || old.kind === 'gitlab'
  const { url = old.url, target = old.target } = change
  const field = url !== old.url ? 'url' : isNumbered && target.toLowerCase() !== old.target.toLowerCase() && 'target'
  if (!field) return
  const link = builder.selectFrom('external_issue').select('id').where('integration_id', '=', old.id)
  if (!(await write.get(link.limit(1)))) return
  const sentence = 'Issues are linked with the place before. Unlink them, or connect this one on its own.'
  throw new MishapError('VALIDATION', { fields: { [field]: [sentence] } })
}

/** The columns of a change. A new token ends a refusal. */
const columnsOf = (value: Partial<Pick<Integration, Changeable | Connected>>, nowMs: number) => ({
  ...given(value.name, (name) => ({ name: checkName(name) })),
  ...given(value.url, (url) => ({ url })),
  ...given(value.target, (target) => ({ target })),
  ...given(value.email, (email) => ({ email })),
  ...given(value.account, (account) => ({ account })),
  ...given(value.accountId, (account_id) => ({ account_id })),
  ...given(value.syncState, (on) => ({ sync_state: Number(on) })),
  ...given(value.syncComments, (on) => ({ sync_comments: Number(on) })),
  ...given(value.sealedSecret, (sealed_secret) => ({ sealed_secret })),
  ...given(value.connectedBy, (connected_by) => ({ connected_by })),
  ...given(value.sealedToken, (sealed_token) => ({
    sealed_token,
    connected_ms: nowMs,
    refused_ms: null,
    last_error: '',
  })),
})

/** Implements connections to issue trackers. */
export function integrationPart(store: Store): IntegrationStore {
  const { write, read, clock } = store
  const { builder } = store.dialect
  const all = () => builder.selectFrom('integration').selectAll()
  return {
    createIntegration: async (value) => {
      const nowMs = clock.now()
      const row = {
        organization_id: value.organizationId,
        kind: value.kind,
        name: checkName(value.name),
        url: value.url,
        target: value.target,
        email: value.email,
        account: value.account,
        account_id: value.accountId,
        sealed_token: value.sealedToken,
        sealed_secret: value.sealedSecret,
        sync_state: Number(value.syncState),
        sync_comments: Number(value.syncComments),
        connected_by: value.connectedBy,
        created_ms: nowMs,
        connected_ms: nowMs,
        refused_ms: null,
        last_error: '',
      }
      return toIntegration({ id: await insertedId(write, builder.insertInto('integration').values(row)), ...row })
    },
    updateIntegration: (id, value) =>
      write.transaction(async () => {
        const old = await write.get(all().where('id', '=', id))
        if (!old) throw new MishapError('NOT_FOUND')
        const change = columnsOf(value, clock.now())
        await demandSamePlace(store, old, change)
        if (Object.keys(change).length > 0)
          await write.run(builder.updateTable('integration').set(change).where('id', '=', id))
        if (value.syncState && old.sync_state === 0) await settleStates(store, id)
        if (value.syncComments && old.sync_comments === 0) await skipOldComments(store, id)
        return toIntegration({ ...old, ...change })
      }),
    deleteIntegration: async (id) => {
      await write.run(builder.deleteFrom('integration').where('id', '=', id))
    },
    integrationById: async (id) => {
      const row = await read.get(all().where('id', '=', id))
      return row && toIntegration(row)
    },
    integrationsOf: async (organizationId) =>
      (await read.all(all().where('organization_id', '=', organizationId).orderBy('id'))).map(toIntegration),
    setIntegrationError: async (id, error, refused, nowMs) => {
      const mine = builder.updateTable('integration').where('id', '=', id)
      await write.run(mine.set({ last_error: error }))
      if (refused) await write.run(mine.set({ refused_ms: nowMs }).where('refused_ms', 'is', null))
      else if (error === '') await write.run(mine.set({ refused_ms: null }).where('refused_ms', 'is not', null))
    },
  }
}
