import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { appForFile } from '../api/app.cases.ts'
import { seedEvents } from '../api/seed.cases.ts'
import type { Actor } from '../auth/auth.ts'
import { addInvitation } from '../operations/members.ts'
import { refineBody } from '../refine/pipeline/fixture.cases.ts'
import type { Role } from '../store/meta/meta.ts'
import { type FormState, type GuardedState, noState } from './client/form.ts'

// Calls every server action with every role. Actions must reject the same cases as the REST routes, without changes.

const state = vi.hoisted((): { app?: () => unknown } => ({}))
vi.mock('./handle.ts', () => ({ app: () => state.app?.() }))
vi.mock('next/headers', () => ({ headers: async () => new Headers(), cookies: async () => new Map() }))
vi.mock('next/cache', () => ({ revalidatePath: () => undefined }))
vi.mock('next-intl/server', () => ({
  getTranslations: async () => (key: string) => key,
  getTimeZone: async () => 'UTC',
}))

const roles: Role[] = ['viewer', 'member', 'admin', 'owner']
/** The lowest role that may call the action, and its form. `{name}` is replaced by an id of the fixture. */
type Case = {
  from: Role
  form: Record<string, string>
  /** The error of who may: what the action needs is not there, such as a service. The right is checked before. */
  lacks?: RegExp
}
/** The last actions delete what the others need. */
const cases: Record<string, Case> = {
  createProjectAction: { from: 'member', form: { name: 'More', platform: 'node' } },
  sortFeedbackAction: { from: 'member', form: { feedback: '{feedback}', state: 'spam' } },
  deleteFeedbackAction: { from: 'admin', form: { feedback: '{feedback}' } },
  archiveAction: { from: 'member', form: { version: 'web@1.0.0', to: 'archived' } },
  finalizeAction: { from: 'member', form: { version: 'web@1.0.0' } },
  deleteReleaseAction: { from: 'member', form: { version: 'web@1.0.0', typed: 'web@1.0.0' } },
  saveProjectAction: {
    from: 'admin',
    form: { name: 'Web', slug: 'web', platform: 'javascript', metricSeriesMax: '10000' },
  },
  saveFiltersAction: { from: 'admin', form: {} },
  saveDetectorsAction: { from: 'admin', form: {} },
  saveOwnershipAction: { from: 'admin', form: { text: 'path:src/* owner@example.test' } },
  removeTombstoneAction: { from: 'admin', form: { tombstone: 'any' } },
  hideEnvironmentAction: { from: 'admin', form: { name: 'production', hidden: 'yes' } },
  createKeyAction: { from: 'admin', form: { label: 'More' } },
  switchKeyAction: { from: 'admin', form: { key: '{key}', active: 'no' } },
  limitKeyAction: { from: 'admin', form: { key: '{key}', count: '5', window: '60' } },
  deleteBundleAction: { from: 'member', form: { bundle: 'none', typed: 'none' } },
  createTokenAction: { from: 'member', form: { name: 'New', scopes: 'org:read' } },
  deleteTokenAction: { from: 'viewer', form: { token: '{token}' } },
  createOrganizationTokenAction: { from: 'admin', form: { name: 'New' } },
  deleteOrganizationTokenAction: { from: 'admin', form: { token: '{ciToken}' } },
  createChannelAction: { from: 'member', form: { kind: 'slack', name: 'New', target: 'https://chat.test/x' } },
  switchChannelAction: { from: 'member', form: { channel: '{channel}', active: 'no' } },
  askToConfirmAction: { from: 'member', form: { channel: '{channel}', address: 'nobody@else.test' } },
  updateChannelAction: { from: 'member', form: { channel: '{channel}', name: 'Other' } },
  sendAgainAction: { from: 'member', form: { channel: '{channel}', delivery: '{delivery}' } },
  testChannelAction: { from: 'member', form: { channel: '{channel}' } },
  deleteChannelAction: { from: 'member', form: { channel: '{channel}' } },
  connectAction: {
    from: 'admin',
    form: { kind: 'gitlab', name: 'Tracker', url: 'https://127.0.0.1', target: 'acme/shop', token: 'glpat-1' },
    lacks: /The token as the service shows it/,
  },
  changeAction: { from: 'admin', form: { integration: '{integration}', syncState: 'on' } },
  renewAction: { from: 'admin', form: { integration: '{integration}' } },
  testAction: { from: 'admin', form: { integration: '{integration}' } },
  deleteAction: { from: 'admin', form: { integration: '{integration}' } },
  mappingAction: { from: 'member', form: { project: 'none', stackRoot: 'a/', sourceRoot: 'src/' } },
  deleteMappingAction: { from: 'member', form: { mapping: '0' }, lacks: /does not exist|not there|no such/i },
  createScheduleAction: {
    from: 'member',
    form: { name: 'Rota', timeZone: 'UTC', handOverDay: '1', handOverTime: '09:00' },
  },
  updateScheduleAction: {
    from: 'member',
    form: {
      schedule: '{schedule}',
      name: 'Nights',
      timeZone: 'Europe/Berlin',
      handOverDay: '5',
      handOverTime: '18:30',
      startDate: '2026-03-06',
      member: '{member}',
    },
  },
  addOverrideAction: {
    from: 'member',
    form: { schedule: '{schedule}', person: '{member}', start: '2999-01-01T09:00', end: '2999-01-02T09:00' },
  },
  replaceOverrideAction: {
    from: 'member',
    form: { schedule: '{schedule}', override: '{override}', start: '2999-01-01T09:00', end: '2999-01-02T09:00' },
    lacks: /changed or removed this override/,
  },
  removeOverrideAction: { from: 'member', form: { schedule: '{schedule}', override: '{override}' } },
  deleteScheduleAction: { from: 'member', form: { schedule: '{schedule}' } },
  createMuteAction: { from: 'member', form: { what: 'organization', name: 'Move', end: '2999-01-01T00:00' } },
  endMuteAction: { from: 'member', form: { mute: '{mute}' } },
  changeIncidentAction: { from: 'member', form: { incident: '{incident}', do: 'acknowledge' } },
  setMailServerAction: { from: 'owner', form: { host: 'mail.test', port: '25', security: 'none', from: 'm@x.test' } },
  clearMailServerAction: { from: 'owner', form: {} },
  inviteAction: { from: 'admin', form: { email: 'new@example.test', role: 'viewer' } },
  takeBackAction: { from: 'admin', form: { invitation: '{invitation}' } },
  changeRoleAction: { from: 'admin', form: { member: '{member}', role: 'viewer' } },
  removeMemberAction: { from: 'admin', form: { member: '{member}' } },
  saveOrganizationAction: { from: 'admin', form: { name: 'Acme', slug: 'acme', retentionErrorsDays: '30' } },
  deleteIssueAction: { from: 'admin', form: { issue: '{issue}', typed: '{shortId}' } },
  leaveAction: { from: 'viewer', form: {} },
  deleteProjectAction: { from: 'admin', form: { typed: 'Web' } },
  deleteOrganizationAction: { from: 'owner', form: { typed: 'Acme' } },
}
/** Actions that need no role, because they check something else. */
const open = [
  'signInAction',
  'signOutAction',
  'setupAction',
  'joinAction',
  // These check the secret of a mail.
  'forgotPasswordAction',
  'resetPasswordAction',
  'confirmAddressAction',
  // These check a sealed link.
  'acknowledgeAction',
  'unsubscribeAction',
  // These act on what the person wants to hear, and on their own browser: see operations/personal.test.ts.
  'savePersonalAction',
  'addPushBrowserAction',
  'removePushBrowserAction',
  // These act on the person's own login session: see auth/account.test.ts.
  'changePasswordAction',
  'endSessionAction',
  'endOtherSessionsAction',
]

type Action = (before: FormState, data: FormData) => Promise<FormState>
const files = globSync('**/*actions.ts', { cwd: import.meta.dirname, exclude: ['.next*/**'] })
  .map((file) => join(import.meta.dirname, file))
  .filter((file) => readFileSync(file, 'utf8').startsWith("'use server'"))
const actions: Record<string, Action> = {}
const ids: Record<string, string> = {}
const actors: Partial<Record<Role | 'stranger' | 'token', Actor>> = {}
const { made, call, personAs } = appForFile()

/** The app with this person signed in. It does not wait for removals in the background. */
function as(actor: Actor | undefined): void {
  const { app } = made()
  const auth = { ...app.auth, actorOf: async () => actor }
  state.app = () => ({ ...app, auth, removals: { ...app.removals, wait: async () => undefined } })
}

/** The content of the whole database. */
function contents(): string {
  const database = new DatabaseSync(join(made().app.config.data, 'meta.sqlite'), { readOnly: true })
  try {
    const tables = database.prepare("select name from sqlite_master where type = 'table' order by name").all()
    return JSON.stringify(tables.map(({ name }) => [name, database.prepare(`select * from "${name}"`).all()]))
  } finally {
    database.close()
  }
}

/** The result: `done`, `refused` with an error, or the first part of the digest of a Next error such as a redirect. */
async function run(name: string): Promise<{ end: string; error: string | null }> {
  const data = new FormData()
  for (const [field, value] of Object.entries({ organization: 'acme', project: 'web', ...cases[name]?.form }))
    data.set(
      field,
      value.replace(/^\{(\w+)\}$/, (_all, id: string) => ids[id] ?? 'missing'),
    )
  try {
    const after = await actions[name]?.(noState, data)
    return { end: after?.done ? 'done' : 'refused', error: after?.error ?? JSON.stringify(after?.fields) }
  } catch (error) {
    const { digest } = error as { digest?: string }
    if (digest === undefined) throw error
    return { end: digest.split(';')[0] ?? '', error: digest }
  }
}

async function seed(): Promise<void> {
  const { app, organization, project } = made()
  const { meta, auth } = app
  await made().store(seedEvents)
  const [issue] = (await call('GET', '/organizations/acme/issues/')).json as { id: string; shortId: string }[]
  Object.assign(ids, {
    issue: issue?.id,
    shortId: issue?.shortId,
    key: String((await meta.projects.keysOf(project.id))[0]?.id),
  })
  const value = { organizationId: organization.id, projectIds: [project.id], version: 'web@1.0.0', change: {} }
  await meta.releases.makeRelease(value, app.clock.now())
  for (const role of roles) actors[role] = { kind: 'session', person: await personAs(role) }
  const { token: _secret, ...person } = await personAs('owner')
  actors.stranger = { kind: 'session', person: await personAs(null) }
  actors.token = {
    kind: 'token',
    person,
    organizationId: organization.id,
    scopes: ['org:read', 'project:read', 'event:read'],
  }
  ids.token = String((await auth.createToken(person, 'old', ['org:read'], organization.id)).id)
  ids.ciToken = String((await auth.createOrganizationToken(person, 'ci', organization)).id)
  ids.member = (await personAs('viewer', [], 'target')).id
  ids.invitation = String(
    (await addInvitation(app, person, organization, { email: 'asked@example.test', role: 'viewer' })).invitation.id,
  )
  const body = { kind: 'slack', name: 'Chat', target: 'https://chat.test/y' }
  const created = await call('POST', '/organizations/acme/notification-channels/', { body })
  ids.channel = (created.json as { channel: { id: string } }).channel.id
  const [delivery] = await meta.alerts.queueTest(Number(ids.channel), [''], app.clock.now())
  const alerts = async (path: string, value: object) =>
    ((await call('POST', `/organizations/acme/${path}/`, { body: value })).json as { id: string }).id
  ids.schedule = await alerts('on-call-schedules', { name: 'Night', timeZone: 'UTC', members: [ids.member] })
  ids.mute = await alerts('mutes', { kind: 'organization', name: 'Now', end: '2999-01-01T00:00:00Z' })
  Object.assign(ids, { delivery: String(delivery?.id), integration: '0', override: '0', incident: '0' })
}

/** A user report, as refine stores it. */
async function seedFeedback(): Promise<void> {
  const { app, project } = made()
  const text = { event_id: 'e'.repeat(32), name: 'Ann', email: 'ann@example.test', comments: 'It broke.' }
  const head = JSON.stringify({ event_id: text.event_id })
  const body = `${head}\n${JSON.stringify({ type: 'user_report' })}\n${JSON.stringify(text)}\n`
  const { feedback, outcomes } = refineBody(body, { projectId: project.id, receivedMs: app.clock.now() })
  const at = await app.meta.batches.cursor('events')
  const effects = { events: [], attachments: [], outcomes, dead: [], feedback }
  await app.meta.batches.commitBatch(await app.meta.batches.openBatch(at, at), effects, app.clock.now())
  ids.feedback = String((await app.meta.feedback.listFeedback({ projectIds: [project.id], max: 1 }))[0]?.id)
}

beforeAll(async () => {
  for (const file of files)
    for (const [name, action] of Object.entries((await import(file)) as Record<string, unknown>))
      if (typeof action === 'function') actions[name] = action as Action
  await seed()
  await seedFeedback()
}, 60_000)

test('the table has every action', () => {
  expect(Object.keys(actions).sort()).toEqual([...Object.keys(cases), ...open].sort())
})

describe('a schedule that is edited on the screen', () => {
  const typed = { name: 'Late', timeZone: 'UTC', handOverDay: '7', handOverTime: '10:00', startDate: '2026-03-01' }

  /** What the action answers to the form, and the schedule after it. */
  async function edited(change: Record<string, string>, members: readonly string[] = []) {
    const { meta } = made().app
    const organizationId = made().organization.id
    const rota = { ...typed, handOverDay: 1, members: [ids.member ?? '', ''] }
    const { id } = await meta.incidents.createSchedule({ organizationId, ...rota, name: 'Early' })
    as(actors.member)
    const data = new FormData()
    const form = { organization: 'acme', schedule: String(id), revision: '0', ...typed, ...change }
    for (const [field, value] of Object.entries(form)) data.set(field, value)
    for (const member of members) data.append('member', member)
    const after = (await actions.updateScheduleAction?.(noState, data)) as GuardedState
    return { after, stored: await meta.incidents.scheduleById(id) }
  }

  test('is stored as a whole, and a turn of somebody who has left may move', async () => {
    const members = ['', ids.member ?? '']
    const { after, stored } = await edited({}, members)
    expect(after).toMatchObject({ done: true, stale: null })
    const changed = { name: 'Late', handOverDay: 7, handOverTime: '10:00', startDate: '2026-03-01', members, rev: 1 }
    expect(stored).toMatchObject({ ...changed, changedBy: actors.member?.person.id })
  })

  test.each([
    ['name', ''],
    ['timeZone', 'Mars/Olympus'],
    ['handOverDay', '8'],
    ['handOverTime', '25:00'],
    ['startDate', ''],
    ['members', 'eve'],
  ])('a mistake in %s is told beside it, and what was typed stays', async (field, value) => {
    const { after, stored } = await edited({ [field]: value }, field === 'members' ? [value] : [])
    expect([after.done, after.error, Object.keys(after.fields)]).toEqual([false, null, [field]])
    expect(after.values).toMatchObject({ ...typed, [field]: value })
    expect(stored).toMatchObject({ name: 'Early', rev: 0 })
  })

  test('after a change of somebody else nothing is stored, unless the person wants it', async () => {
    const outdated = { revision: '7' }
    const { after, stored } = await edited(outdated)
    expect(after).toMatchObject({ done: false, error: null, stale: { by: null }, values: { name: 'Late' } })
    expect(stored).toMatchObject({ name: 'Early', rev: 0 })
    const anyway = await edited({ ...outdated, anyway: 'yes' })
    expect([anyway.after.done, anyway.stored?.name]).toEqual([true, 'Late'])
  })

  test('an override is edited on the clock of its schedule, and an outdated edit changes nothing', async () => {
    const { meta, clock } = made().app
    const rota = { ...typed, timeZone: 'Europe/Berlin', handOverDay: 1, members: [] }
    const schedule = await meta.incidents.createSchedule({ organizationId: made().organization.id, ...rota })
    const [fromMs, toMs] = [Date.parse('2998-12-31T08:00:30Z'), Date.parse('2999-01-01T08:00:00Z')]
    const own = { scheduleId: schedule.id, userId: ids.member ?? '', createdBy: null }
    const { id } = await meta.incidents.createOverride({ ...own, fromMs, toMs })
    as(actors.member)
    const editedTo = async (end: string) => {
      const data = new FormData()
      const form = {
        organization: 'acme',
        schedule: `${schedule.id}`,
        override: `${id}`,
        start: '2998-12-31T09:00',
        end,
      }
      for (const [field, value] of Object.entries({ ...form, person: ids.member ?? '' })) data.set(field, value)
      return actions.replaceOverrideAction?.(noState, data)
    }
    for (const wrong of ['', '2999-99-99T10:00', 'soon'])
      expect(await editedTo(wrong)).toMatchObject({ done: false, fields: { end: ['A date and a time.'] } })
    expect(await editedTo('2998-01-01T10:00')).toMatchObject({ done: false, fields: { end: [expect.any(String)] } })
    expect(await editedTo('2999-01-02T10:30')).toMatchObject({ done: true })
    const stored = await meta.incidents.overridesOf([schedule.id], clock.now())
    expect(stored).toMatchObject([{ fromMs, toMs: Date.parse('2999-01-02T09:30:00Z') }])
    const error = 'Somebody changed or removed this override in the meantime.'
    expect(await editedTo('2999-01-03T10:30')).toMatchObject({
      done: false,
      error,
      values: { end: '2999-01-03T10:30' },
    })
    expect(await meta.incidents.overridesOf([schedule.id], clock.now())).toEqual(stored)
  })

  test('one that is gone is said to be gone', async () => {
    const { after } = await edited({ schedule: '999999' })
    expect(after).toMatchObject({ done: false, error: 'This schedule was deleted.' })
  })
})

test.each(['start', 'end'])('a mute with a %s that is no time is told so and not stored', async (field) => {
  const { meta } = made().app
  const before = await meta.incidents.listMutes(made().organization.id)
  as(actors.member)
  for (const wrong of ['2999-99-99T10:00', 'soon']) {
    const data = new FormData()
    const form = { organization: 'acme', what: 'organization', name: 'Move', [field]: wrong }
    for (const [name, value] of Object.entries(form)) data.set(name, value)
    const after = await actions.createMuteAction?.(noState, data)
    expect(after).toMatchObject({ done: false, fields: { [field]: ['A date and a time.'] } })
  }
  expect(await meta.incidents.listMutes(made().organization.id)).toEqual(before)
})

const rank = (role: Role) => roles.indexOf(role)
const table = Object.entries(cases).map(([name, { from }]) => [name, from] as const)

describe('who may not', () => {
  const refused = table.flatMap(([name, from]) =>
    [...roles.filter((role) => rank(role) < rank(from)), 'token' as const].map((who) => [name, who] as const),
  )
  test.each(refused)('%s: %s is told so, and nothing changes', async (name, who) => {
    as(actors[who])
    const before = contents()
    expect(await run(name)).toMatchObject({ end: 'refused', error: expect.stringMatching(/permission|mayNot/) })
    expect(contents()).toBe(before)
  })

  test.each(table)('%s: a stranger finds nothing, who is nobody is asked to sign in', async (name) => {
    const before = contents()
    as(actors.stranger)
    expect((await run(name)).error).toBe('NEXT_HTTP_ERROR_FALLBACK;404')
    as(undefined)
    expect((await run(name)).error).toMatch(/^NEXT_REDIRECT;\w+;\/login\?next=/)
    expect(contents()).toBe(before)
  })
})

describe('who may', () => {
  test.each(table)('%s: from %s on', async (name, from) => {
    as(actors[from])
    const lacks = cases[name]?.lacks
    const { end, error } = await run(name)
    expect([name, lacks ? error : end]).toEqual([name, expect.stringMatching(lacks ?? /^(done|NEXT_REDIRECT)$/)])
  })
})
