import { beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import type { RestBulk, RestIssueChange } from '../contract/issue-changes.ts'
import type { RestActivity, RestInCommon, RestIssue, RestIssueDetail } from '../contract/issues.ts'
import type { RestOwnership, RestOwnershipTest } from '../contract/ownership.ts'
import { commit, effect, hash } from '../store/meta/fixture.cases.ts'
import { appForFile } from './app.cases.ts'
import { seedEvents } from './seed.cases.ts'

const state: { bob?: { id: string; token: string } } = {}
const { made, call, personAs } = appForFile()
const O = '/organizations/acme'
const P = '/projects/acme/web'

beforeAll(async () => {
  await made().store(seedEvents)
  const { app, organization } = made()
  const bob = await app.auth.createPerson({ name: 'Bob', email: 'bob@example.test', password: 'another long password' })
  await app.meta.organizations.setMember(organization.id, bob.id, 'member')
  state.bob = {
    id: bob.id,
    token: (await app.auth.createToken(bob, 't', ['event:write', 'project:read', 'org:read'], null)).secret,
  }
}, 30_000)

const issues = async () => (await call('GET', `${O}/issues/?query=&statsPeriod=90d`)).json as RestIssue[]
const first = async () => {
  const [issue] = await issues()
  if (!issue) throw new Error('no issue')
  return issue
}
const detail = async (id: string) => (await call('GET', `${O}/issues/${id}/`)).json as RestIssueDetail
const put = async (id: string, body: object) => call('PUT', `${O}/issues/${id}/`, { body })

describe('states', () => {
  test.each<[string, object, object]>([
    ['now', { status: 'resolved' }, { status: 'resolved', substatus: null, statusDetails: {} }],
    [
      'in a release',
      { status: 'resolved', statusDetails: { inRelease: 'web@9.0.0' } },
      { status: 'resolved', statusDetails: { inRelease: 'web@9.0.0' } },
    ],
    ['in the next', { status: 'resolvedInNextRelease' }, { statusDetails: { inNextRelease: true } }],
    [
      'archived until it escalates',
      { status: 'ignored', substatus: 'archived_until_escalating' },
      { status: 'ignored', substatus: 'archived_until_escalating' },
    ],
    [
      'archived until events in a window',
      { status: 'ignored', statusDetails: { ignoreCount: 9, ignoreWindow: 60 } },
      { substatus: 'archived_until_condition_met', statusDetails: { ignoreCount: 9, ignoreWindow: 60 } },
    ],
    ['muted, as sentry-cli says it', { status: 'muted' }, { substatus: 'archived_forever', statusDetails: {} }],
    ['archived for ever', { status: 'archived' }, { substatus: 'archived_forever', statusDetails: {} }],
    ['unresolved', { status: 'unresolved' }, { status: 'unresolved', substatus: 'ongoing' }],
  ])('%s', async (_says, body, answer) => {
    const { id } = await first()
    expect((await put(id, body)).json).toMatchObject(answer)
    expect(await detail(id)).toMatchObject(answer)
  })

  test.each<[object, string]>([
    [{ status: 'ignored', statusDetails: { ignoreUntil: '2001-01-01T00:00:00Z' } }, 'in the future'],
    [{ status: 'ignored', statusDetails: { ignoreUntil: 'tomorrow' } }, 'such as'],
    [{ status: 'ignored', statusDetails: { ignoreCount: 0 } }, 'At least 1'],
    [{ status: 'ignored', statusDetails: { ignoreWindow: 5 } }, 'ignoreCount'],
    [{ status: 'resolved', statusDetails: { inRelease: 'a', inNextRelease: true } }, 'Either'],
    [{ status: 'resolved', statusDetails: { inCommit: { commit: 'abc' } } }, 'repository'],
    [{ status: 'resolved', statusDetails: { inCommit: { repository: 'acme/web', commit: '' } } }, 'whole id'],
    [
      { status: 'resolved', statusDetails: { inNextRelease: true, inCommit: { repository: 'acme/web', commit: 'a' } } },
      'Either',
    ],
    [{ priority: 'urgent' }, ''],
  ])('%j is refused with a sentence', async (body, sentence) => {
    const { id } = await first()
    const answer = await put(id, body)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(sentence)
  })

  test('a release that is made resolves what waited for it', async () => {
    const { id } = await first()
    await put(id, { status: 'resolvedInNextRelease' })
    await call('POST', `${O}/releases/`, { body: { version: 'web@77.0.0', projects: ['web'] } })
    expect((await detail(id)).statusDetails).toEqual({ inRelease: 'web@77.0.0' })
    await put(id, { status: 'unresolved' })
  })

  test('resolved in a commit: in the release that has it, now or as soon as there is one', async () => {
    const { id } = await first()
    const inCommit = { repository: 'acme/web', commit: 'c0ffee1' }
    const resolve = async () => (await put(id, { status: 'resolved', statusDetails: { inCommit } })).json
    expect(await resolve()).toMatchObject({ status: 'resolved', statusDetails: { inCommit } })
    const release = (version: string, sha: string, repository: string) =>
      call('POST', `${O}/releases/`, { body: { version, projects: ['web'], commits: [{ id: sha, repository }] } })
    await release('web@78.0.0', 'c0ffee2', 'acme/web')
    await release('web@78.1.0', 'c0ffee1', 'acme/other')
    expect((await detail(id)).statusDetails).toEqual({ inCommit })
    await release('web@78.2.0', 'c0ffee1', 'acme/web')
    expect((await detail(id)).statusDetails).toEqual({ inCommit, inRelease: 'web@78.2.0' })
    expect((await detail(id)).activity[0]).toMatchObject({ data: { version: 'web@78.2.0', reason: 'commit' } })
    await put(id, { status: 'unresolved' })
    expect(await resolve()).toMatchObject({ statusDetails: { inCommit, inRelease: 'web@78.2.0' } })
    await put(id, { status: 'unresolved' })
  })

  test('a priority says where it comes from, and follows again', async () => {
    const { id } = await first()
    expect(await detail(id)).toMatchObject({ priorityReason: 'level' })
    await put(id, { priority: 'low' })
    expect(await detail(id)).toMatchObject({ priority: 'low', priorityReason: 'set' })
    const found = async (query: string) =>
      ((await call('GET', `${O}/issues/?statsPeriod=90d&query=${query}`)).json as RestIssue[]).map((item) => item.id)
    expect(await found('issue.priority:low')).toEqual([id])
    expect(await found('!issue.priority:low')).not.toContain(id)
    expect(await found('issue.priority:__proto__')).toEqual([])
    await put(id, { priority: null })
    expect((await detail(id)).activity[0]).toMatchObject({ type: 'set_priority', data: { priority: null } })
    await put(id, { status: 'unresolved', substatus: 'escalating' })
    expect(await detail(id)).toMatchObject({ priority: 'high', priorityReason: 'escalating' })
  })
})

describe('many at once', () => {
  test('all that a search finds, and back; a stranger can’t take it back', async () => {
    const count = 60
    await made().store(
      Array.from({ length: count }, (_, at) => ({
        ...seedEvents[0],
        event_id: (1_000_000 + at).toString(16).padStart(32, '0'),
        fingerprint: [`bulk-${at}`],
        tags: { bulk: 'yes' },
      })),
    )
    const answer = await call('PUT', `${O}/issues/?query=bulk%3Ayes&statsPeriod=90d`, { body: { status: 'resolved' } })
    const { bulk, updated } = answer.json as RestIssueChange
    expect(updated).toHaveLength(count)
    expect(bulk).toMatchObject({ total: count, done: count, changed: count, undone: false })
    const path = `${O}/issue-changes/${bulk?.id}/`
    expect((await call('GET', path)).json).toMatchObject({ changed: count })
    const token = state.bob?.token ?? ''
    expect((await call('POST', `${path}undo/`, { token })).status).toBe(403)
    const resolved = async () =>
      ((await call('GET', `${O}/issues/?query=is:resolved+bulk:yes&statsPeriod=90d`)).json as unknown[]).length
    expect(await resolved()).toBe(25)
    const back = (await call('POST', `${path}undo/`)).json as RestBulk
    expect(back).toMatchObject({ undone: true, changed: count })
    expect(await resolved()).toBe(0)
    expect((await call('POST', `${path}undo/`)).status).toBe(409)
  })

  test.each([
    ['PUT', `${O}/issues/`, 400],
    ['DELETE', `${O}/issues/`, 400],
    ['DELETE', `${O}/issues/?id=999999`, 404],
    ['GET', `${O}/issue-changes/999/`, 404],
  ] as const)('%s %s: %i', async (method, path, status) => {
    const body = method === 'PUT' ? { body: { status: 'resolved' } } : {}
    expect((await call(method, path, body)).status).toBe(status)
  })

  test('a change that one issue refuses changes none', async () => {
    const { app, organization } = made()
    const { id } = await first()
    const { id: projectId } = await app.meta.projects.createProject({
      organizationId: organization.id,
      slug: 'bare',
      name: 'Bare',
      platform: null,
    })
    const at = await app.meta.batches.cursor('events')
    const events = [effect({ projectId, timestampMs: systemClock.now() })]
    const { issues: bare } = await app.meta.batches.commitBatch(
      await app.meta.batches.openBatch(at, at),
      { events, attachments: [], outcomes: [], dead: [] },
      systemClock.now(),
    )
    const body = { status: 'resolved', statusDetails: { inRelease: 'latest' } }
    const both = await call('PUT', `${O}/issues/?id=${id}&id=${bare[0]?.id}`, { body })
    expect([both.status, both.text]).toEqual([400, expect.stringContaining('no release yet')])
    expect((await detail(id)).status).toBe('unresolved')
    expect((await call('PUT', `${O}/issues/?id=${id}`, { body })).status).toBe(200)
    await put(id, { status: 'unresolved' })
  })

  test('a query without a range means what the list without one shows', async () => {
    const timestamp = Math.floor(Date.now() / 1000) - 20 * 86_400
    const tags = { batch: 'aged' }
    await made().store([
      { ...seedEvents[0], event_id: 'a1'.padStart(32, '0'), fingerprint: ['age-old'], tags, timestamp },
      { ...seedEvents[0], event_id: 'a2'.padStart(32, '0'), fingerprint: ['age-new'], tags },
    ])
    const path = `${O}/issues/?query=batch:aged`
    const shown = ((await call('GET', path)).json as RestIssue[]).map((item) => item.id)
    expect(shown).toHaveLength(1)
    expect(((await call('PUT', path, { body: { isBookmarked: true } })).json as RestIssueChange).updated).toEqual(shown)
    const all = (await call('PUT', `${path}&statsPeriod=90d`, { body: { isBookmarked: false } }))
      .json as RestIssueChange
    expect(all.updated).toHaveLength(2)
  })

  test('one’s own marks of many are set when it answers: nothing runs behind it', async () => {
    const path = `${O}/issues/?query=bulk%3Ayes&statsPeriod=90d`
    const answer = (await call('PUT', path, { body: { isBookmarked: true, hasSeen: true } })).json as RestIssueChange
    expect(answer.bulk).toBeUndefined()
    expect(answer.updated).toHaveLength(60)
    const ids = answer.updated.map(Number)
    const { meta } = made().app
    const me = (await meta.people.personByEmail('owner@example.test'))?.id ?? ''
    expect([(await meta.issues.bookmarkedBy(me, ids)).size, (await meta.issues.seenBy(me, ids)).size]).toEqual([60, 60])
    const mixed = (await call('PUT', path, { body: { isBookmarked: false, priority: 'low' } })).json as RestIssueChange
    expect([mixed.bulk?.changed, (await meta.issues.bookmarkedBy(me, ids)).size]).toEqual([60, 0])
  })

  test('one person in two merged issues is one user', async () => {
    const user = { id: 'only-one' }
    const merged = ['m1', 'm2'].map((name) => ({
      ...seedEvents[0],
      event_id: `f${name}`.padStart(32, '0'),
      fingerprint: [name],
      tags: { merged: 'yes' },
      user,
    }))
    await made().store(merged)
    const path = `${O}/issues/?query=merged:yes`
    const ids = ((await call('GET', path)).json as RestIssue[]).map((item) => `id=${item.id}`)
    expect(ids).toHaveLength(2)
    const made2 = (await call('PUT', `${O}/issues/?${ids.join('&')}`, { body: { merge: 1 } })).json as {
      merge: { parent: string }
    }
    for (const range of ['', '?statsPeriod=1h', '?statsPeriod=1h&environment=production'])
      expect((await call('GET', `${O}/issues/${made2.merge.parent}/${range}`)).json).toMatchObject({
        count: '2',
        userCount: 1,
        lifetime: { userCount: 1 },
      })
  })

  test('deletion by id; a member may not, and nothing goes', { timeout: 20_000 }, async () => {
    const found = (await call('GET', `${O}/issues/?query=bulk%3Ayes&statsPeriod=90d&limit=2`)).json as RestIssue[]
    const path = `${O}/issues/?${found.map((item) => `id=${item.id}`).join('&')}`
    expect((await call('DELETE', path, { token: state.bob?.token ?? '' })).status).toBe(403)
    const answer = await call('DELETE', path)
    expect([answer.status, (answer.json as unknown[]).length]).toEqual([202, 2])
    const gone = async () => (await call('GET', `${O}/issues/${found[0]?.id}/`)).status
    await expect.poll(gone, { timeout: 15_000 }).toBe(404)
  })
})

describe('what an issue’s own address refuses or does', () => {
  test('merge is said to be of several; nothing changes', async () => {
    const { id } = await first()
    const answer = await put(id, { merge: 1, status: 'resolved' })
    expect([answer.status, answer.json]).toEqual([400, { merge: [expect.stringContaining('For several issues')] }])
    expect((await detail(id)).status).toBe('unresolved')
  })

  test('discard asks for the right to delete, holds the revision, and discards', { timeout: 20_000 }, async () => {
    const event_id = 'd1'.padStart(32, '0')
    await made().store([{ ...seedEvents[0], event_id, fingerprint: ['discard-me'], tags: { discard: 'me' } }])
    const [issue] = (await call('GET', `${O}/issues/?query=discard:me`)).json as RestIssue[]
    const path = `${O}/issues/${issue?.id}/`
    const token = state.bob?.token ?? ''
    expect((await call('PUT', path, { body: { discard: true }, token })).status).toBe(403)
    const byQuery = `${O}/issues/?query=discard:me`
    expect((await call('PUT', byQuery, { body: { discard: true }, token })).status).toBe(403)
    expect((await call('PUT', path, { body: { discard: true, revision: 99 } })).status).toBe(409)
    expect((await call('GET', path)).status).toBe(200)
    expect((await call('PUT', path, { body: { discard: true } })).json).toMatchObject({ id: issue?.id })
    await expect.poll(async () => (await call('GET', path)).status, { timeout: 15_000 }).toBe(404)
    const tombstones = (await call('GET', `${P}/tombstones/`)).json as { id: string }[]
    expect(tombstones.map((tombstone) => tombstone.id)).toContain(issue?.shortId)
    await call('DELETE', `${P}/tombstones/${issue?.shortId}/`)
  })
})

describe('people', () => {
  test('bookmark, subscription, seen by', async () => {
    const { id } = await first()
    await put(id, { isBookmarked: true, hasSeen: true })
    expect(await detail(id)).toMatchObject({
      isBookmarked: true,
      isSubscribed: true,
      subscriptionDetails: { reason: 'bookmarked' },
      seenBy: [{ email: 'owner@example.test' }],
      participants: [{ email: 'owner@example.test' }],
    })
    await put(id, { isBookmarked: false, isSubscribed: false })
    expect(await detail(id)).toMatchObject({ isBookmarked: false, isSubscribed: false, participants: [] })
  })

  test('who is named in a comment follows it, has it unread, and gets a mail; code names nobody', async () => {
    const { app } = made()
    const { id } = await first()
    const bob = state.bob?.id ?? ''
    await app.meta.issues.setUserFlags([Number(id)], bob, { hasSeen: true }, 1)
    await call('POST', `${O}/issues/${id}/comments/`, { body: { text: '`@bob`' } })
    expect(await app.meta.issues.subscribersOf(Number(id))).not.toContain(bob)
    const added = (await call('POST', `${O}/issues/${id}/notes/`, { body: { text: 'Look, @Bob: **odd**' } })).json
    expect(await app.meta.issues.subscribersOf(Number(id))).toContain(bob)
    expect((await app.meta.issues.viewersOf(Number(id))).map((item) => item.userId)).not.toContain(bob)
    const [due] = (await app.meta.issues.noticesDue(systemClock.now() + 1_000, 99)).filter(
      (item) => item.userId === bob,
    )
    expect(due).toMatchObject({ kind: 'mention', issueId: Number(id) })
    const note = (added as RestActivity).id
    const own = `${O}/issues/${id}/notes/${note}/`
    expect((await call('PUT', own, { body: { text: 'x' }, token: state.bob?.token ?? '' })).status).toBe(403)
    expect((await call('PUT', own, { body: { text: 'changed' } })).json).toMatchObject({ data: { text: 'changed' } })
    expect((await call('DELETE', own)).status).toBe(204)
    expect((await call('DELETE', own)).status).toBe(404)
  })

  test('assigned to somebody else: they follow it and are told', async () => {
    const { app } = made()
    const { id } = await first()
    await put(id, { assignedTo: 'bob@example.test' })
    const told = (await app.meta.issues.noticesDue(systemClock.now() + 1_000, 99)).filter(
      (item) => item.kind === 'assigned',
    )
    expect(told).toMatchObject([{ userId: state.bob?.id, issueId: Number(id) }])
    await put(id, { assignedTo: '' })
  })

  test('a viewer sets what is their own and nothing else', async () => {
    const { app } = made()
    const vera = await personAs('viewer', ['event:admin'], 'Vera')
    const { token } = vera
    const { id } = await first()
    const path = `${O}/issues/${id}/`
    const as = async (to: string, body: object) => (await call('PUT', to, { body, token })).status
    await call('POST', `${path}comments/`, { body: { text: '@vera' } })
    expect(await app.meta.issues.subscribersOf(Number(id))).toContain(vera.id)
    expect(await as(path, { isSubscribed: false })).toBe(200)
    expect(await app.meta.issues.subscribersOf(Number(id))).not.toContain(vera.id)
    expect(await as(`${O}/issues/?id=${id}`, { hasSeen: true, isBookmarked: true })).toBe(200)
    expect((await app.meta.issues.seenBy(vera.id, [Number(id)])).size).toBe(1)
    for (const body of [
      { status: 'resolved' },
      { hasSeen: true, priority: 'low' },
      { discard: true },
      { merge: 1 },
      {},
    ])
      for (const to of [path, `${O}/issues/?id=${id}`, `${P}/issues/?query=`]) expect(await as(to, body)).toBe(403)
    expect(await detail(id)).toMatchObject({ status: 'unresolved' })
  })
})

describe('ownership', () => {
  test('faults name their lines, a try saves nothing, a new issue is assigned with its rule', async () => {
    const { app } = made()
    const wrong = await call('PUT', `${P}/ownership/`, { body: { raw: 'path:x\nurl:* nobody@example.test' } })
    expect([wrong.status, wrong.json]).toMatchObject([
      400,
      { raw: [expect.stringMatching(/^Line 1: .*owner/), expect.stringMatching(/^Line 2: nobody@/)] },
    ])
    const raw = 'tags.team:payments bob@example.test'
    const tried = (await call('POST', `${P}/ownership/try/`, { body: { raw } })).json as RestOwnershipTest
    expect(tried.issues.length).toBeGreaterThan(0)
    expect(((await call('GET', `${P}/ownership/`)).json as RestOwnership).raw).toBe('')
    expect((await call('PUT', `${P}/ownership/`, { body: { raw }, token: state.bob?.token ?? '' })).status).toBe(403)
    expect((await call('PUT', `${P}/ownership/`, { body: { raw, revision: 0 } })).json).toMatchObject({
      raw,
      revision: 1,
      rules: [{ line: 1, owners: ['bob@example.test'] }],
      faults: [],
    })
    expect((await call('PUT', `${P}/ownership/`, { body: { raw, revision: 0 } })).status).toBe(409)
    const event_id = 'e'.repeat(32)
    await made().store([{ ...seedEvents[0], event_id, fingerprint: ['owned'], tags: { team: 'payments' } }])
    await app.triage.people()
    const [issue] = (await call('GET', `${O}/issues/?query=team:payments&statsPeriod=90d`)).json as RestIssue[]
    expect(issue?.assignedTo).toMatchObject({ email: 'bob@example.test' })
    expect((await detail(issue?.id ?? '')).activity[0]).toMatchObject({
      type: 'assigned',
      user: null,
      data: { rule: 'tags.team:payments', assigneeName: 'Bob' },
    })
    expect(await app.meta.projects.ownersDue(9)).toEqual([])
    const listed = async (query: string) =>
      ((await call('GET', `${O}/issues/?statsPeriod=90d&query=${encodeURIComponent(query)}`)).json as RestIssue[]).map(
        (item) => item.id,
      )
    const suggested = 'assigned_or_suggested:bob@example.test'
    expect(await listed(suggested)).toContain(issue?.id)
    await call('PUT', `/issues/${issue?.id}/`, { body: { assignedTo: null } })
    expect((await detail(issue?.id ?? '')).suggestedOwners).toMatchObject([
      { email: 'bob@example.test', rule: 'tags.team:payments' },
    ])
    expect([await listed(suggested), await listed('assigned:bob@example.test')]).toEqual([[issue?.id], []])
    expect(await listed('assigned_or_suggested:none')).not.toContain(issue?.id)
    await call('PUT', `/issues/${issue?.id}/`, { body: { assignedTo: 'owner@example.test' } })
    expect(await listed(suggested)).toEqual([])
    await call('PUT', `${P}/ownership/`, { body: { raw: 'tags.team:none bob@example.test' } })
    await app.triage.people()
    expect((await detail(issue?.id ?? '')).suggestedOwners).toEqual([])
  })
})

test('rules that take too long for an event are said by a try, with their line', async () => {
  const frames = Array.from({ length: 40 }, (_, at) => ({ filename: `f${at}${'a'.repeat(240)}.js`, in_app: true }))
  await made().store([
    {
      ...seedEvents[0],
      event_id: 'b1'.padStart(32, '0'),
      fingerprint: ['long'],
      exception: { values: [{ type: 'Long', value: 'x', stacktrace: { frames } }] },
    },
  ])
  const raw = Array.from({ length: 400 }, () => `path:*${'a'.repeat(70)}b bob@example.test`).join('\n')
  const tried = (await call('POST', `${P}/ownership/try/`, { body: { raw } })).json as RestOwnershipTest
  expect(tried.faults).toEqual([{ line: expect.any(Number), sentence: expect.stringContaining('take too long') }])
  expect(tried.issues.every((issue) => issue.rule === null)).toBe(true)
})

describe('what these have in common', () => {
  test('the value that others do not have is first, with bounds around its lift', async () => {
    const events = Array.from({ length: 80 }, (_, at) => ({
      ...seedEvents[0],
      event_id: (2_000_000 + at).toString(16).padStart(32, '0'),
      fingerprint: [at % 2 ? 'common' : `rest-${at % 10}`],
      tags: { device: at % 2 ? 'old' : `new-${at % 3}`, plan: `p${at % 4}` },
    }))
    await made().store(events)
    const [issue] = (await call('GET', `${O}/issues/?query=device:old&statsPeriod=90d`)).json as RestIssue[]
    const found = (await call('GET', `${O}/issues/${issue?.id}/in-common/?statsPeriod=90d`)).json as RestInCommon
    expect(found.own).toBe(40)
    expect(found.values[0]).toMatchObject({ key: 'device', value: 'old', own: 40, ownShare: 1, otherShare: 0 })
    const [{ low = 0, lift = 0, high = 0 } = {}] = found.values
    expect(low > 1.2 && low < lift && lift < high).toBe(true)
  })
})

describe('tombstones', () => {
  test('an issue that is deleted for good has one, until it is taken out', { timeout: 20_000 }, async () => {
    const [issue] = (await call('GET', `${O}/issues/?query=bulk%3Ayes&statsPeriod=90d`)).json as RestIssue[]
    const answer = await call('PUT', `${O}/issues/?query=issue:${issue?.shortId}`, { body: { discard: true } })
    expect(answer.json).toEqual({ updated: [issue?.id] })
    const list = async () => (await call('GET', `${P}/tombstones/`)).json as { id: string; actor: object }[]
    await expect.poll(async () => (await list()).length, { timeout: 15_000 }).toBe(1)
    expect(await list()).toMatchObject([
      {
        id: issue?.shortId,
        title: issue?.title,
        culprit: issue?.culprit,
        actor: { email: 'owner@example.test' },
      },
    ])
    expect(issue?.title).toBeTruthy()
    const path = `${P}/tombstones/${issue?.shortId}/`
    expect((await call('DELETE', path, { token: state.bob?.token ?? '' })).status).toBe(403)
    expect((await call('DELETE', path)).status).toBe(204)
    expect(await list()).toEqual([])
  })
})

// Runs last because it changes all issues of the project of this file.
describe('one project of several', () => {
  test('a project’s own route leaves the issues of other projects alone, by id and by search', async () => {
    const { app, organization, project } = made()
    const [newest] = await app.meta.issues.listIssues({ projectIds: [project.id], sort: 'last', max: 1 })
    const own = { id: String(newest?.id) }
    const api = await app.meta.projects.createProject({
      organizationId: organization.id,
      slug: 'aside',
      name: 'Aside',
      platform: 'node',
    })
    await commit(app.meta, {
      events: [effect({ projectId: api.id, hashes: [hash(4242)], timestampMs: app.clock.now() })],
    })
    const [other] = await app.meta.issues.listIssues({ projectIds: [api.id], sort: 'last', max: 1 })
    const ids = `id=${own.id}&id=${other?.id}`
    const states = async () =>
      await Array.fromAsync(
        [Number(own.id), other?.id ?? 0],
        async (id) => (await app.meta.issues.issueById(id))?.status,
      )
    const byId = (await call('PUT', `${P}/issues/?${ids}`, { body: { status: 'resolved' } })).json as RestIssueChange
    expect([byId.updated, await states()]).toEqual([[own.id], ['resolved', 'unresolved']])
    const path = `${P}/issues/?query=&statsPeriod=90d`
    const all = (await call('PUT', path, { body: { status: 'ignored' } })).json as RestIssueChange
    expect([all.updated.includes(String(other?.id)), await states()]).toEqual([false, ['ignored', 'unresolved']])
    const merged = await call('PUT', `${P}/issues/?${ids}`, { body: { merge: 1 } })
    expect([merged.status, (await states())[1]]).toEqual([400, 'unresolved'])
    expect((await call('DELETE', `${P}/issues/?id=${other?.id}`)).status).toBe(404)
    expect((await states())[1]).toBe('unresolved')
  })
})
