import { beforeAll, describe, expect, test } from 'vitest'
import { verify } from '../backup/verify.ts'
import type { RestFeedback } from '../contract/feedback.ts'
import type { RestIssue } from '../contract/issues.ts'
import type { RestRemoval } from '../contract/removals.ts'
import { linkFeedback } from '../jobs/feedback.ts'
import { openInvitation } from '../operations/members.ts'
import { refineBody, refineEvent } from '../refine/pipeline/fixture.cases.ts'
import type { Role } from '../store/meta/meta.ts'
import { appForFile } from './app.cases.ts'
import { hex, seedAttachments, seedEvents } from './seed.cases.ts'

// Members, invitations, feedback and deletion, with real stores.

const { made } = appForFile()
const O = '/organizations/acme'
const scopes = ['org:admin', 'project:admin', 'event:admin', 'member:read']

beforeAll(async () => {
  await made().store(seedEvents, seedAttachments)
}, 30_000)

async function person(name: string, role?: Role) {
  const { app, organization } = made()
  const email = `${name}@example.test`
  const found =
    (await app.auth.personByEmail(email)) ??
    (await app.auth.createPerson({ name, email, password: 'another long password' }))
  if (role) await app.meta.organizations.setMember(organization.id, found.id, role)
  return { ...found, token: (await app.auth.createToken(found, 't', scopes, null)).secret }
}
const call = async (method: string, path: string, body?: unknown, token?: string) =>
  made().call(method, path, { ...(body === undefined ? {} : { body }), ...(token ? { token } : {}) })

describe('members', () => {
  test.each<[role: Role | undefined, invite: number, change: number, remove: number, list: number]>([
    ['owner', 201, 200, 204, 200],
    ['admin', 201, 200, 204, 200],
    ['member', 403, 403, 403, 200],
    ['viewer', 403, 403, 403, 200],
    [undefined, 404, 404, 404, 404],
  ])('%s: invite %i, change %i, remove %i, list %i', async (role, invite, change, remove, list) => {
    const { token } = await person(role ?? 'stranger', role)
    const target = await person('target', 'viewer')
    const asked = { email: 'asked@example.test', role: 'viewer' }
    expect((await call('POST', `${O}/invitations/`, asked, token)).status).toBe(invite)
    expect((await call('PUT', `${O}/members/${target.id}/`, { role: 'viewer' }, token)).status).toBe(change)
    expect((await call('GET', `${O}/members/`, undefined, token)).status).toBe(list)
    expect((await call('GET', `${O}/invitations/`, undefined, token)).status).toBe(list)
    expect((await call('DELETE', `${O}/members/${target.id}/`, undefined, token)).status).toBe(remove)
    const left = await made().app.meta.organizations.memberOf(made().organization.id, target.id)
    expect(left === undefined).toBe(remove === 204)
  })

  test('anybody leaves, but not the last owner', async () => {
    const { meta } = made().app
    for (const role of ['viewer', 'member', 'admin'] as const) {
      const item = await person(`leaving-${role}`, role)
      expect((await call('DELETE', `${O}/membership/`, undefined, item.token)).status).toBe(204)
      expect(await meta.organizations.memberOf(made().organization.id, item.id)).toBeUndefined()
      expect((await call('GET', `${O}/`, undefined, item.token)).status).toBe(404)
    }
    const extra = await person('owner')
    if (
      (await meta.organizations.memberOf(made().organization.id, extra.id))?.role === 'owner' &&
      extra.email !== 'owner@example.test'
    )
      await meta.organizations.removeMember(made().organization.id, extra.id)
    const answer = await call('DELETE', `${O}/membership/`)
    expect([answer.status, answer.json]).toMatchObject([409, { code: 'CONFLICT' }])
  })

  test('an invitation without a mail server gives its link, with one it is mailed too', async () => {
    const { app, sent } = made()
    const asked = { email: 'New@example.test', role: 'member' }
    const first = (await call('POST', `${O}/invitations/`, asked)).json as { link: string; mailed: boolean }
    expect(first).toMatchObject({ mailed: false, mailError: null, invitation: { email: 'new@example.test' } })
    expect((await openInvitation(app, first.link.replace(/^.*\/invite\//, '')))?.role).toBe('member')
    await call('PUT', '/mail-server/', { host: 'mail.test', port: 25, security: 'none', from: 'm@x.test' })
    const second = (await call('POST', `${O}/invitations/`, asked)).json as { link: string; mailed: boolean }
    expect([second.mailed, sent.mails.at(-1)?.to]).toEqual([true, 'new@example.test'])
    expect(sent.mails.at(-1)?.text).toContain(second.link)
    await call('DELETE', '/mail-server/')
    const list = await call('GET', `${O}/invitations/`)
    expect(list.text).not.toContain(second.link.replace(/^.*\//, ''))
    const [row] = (list.json as { id: string; email: string }[]).filter((item) => item.email === 'new@example.test')
    expect((await call('DELETE', `${O}/invitations/${row?.id}/`)).status).toBe(204)
    expect((await call('DELETE', `${O}/invitations/${row?.id}/`)).status).toBe(404)
  })

  test.each<[unknown, string[]]>([
    [{}, ['email', 'role']],
    [{ email: 'x', role: 'viewer' }, ['email']],
    [{ email: 'x@example.test', role: 'king' }, ['role']],
    [{ email: 'x@example.test', role: 'owner' }, ['role']],
  ])('an invitation of %j is refused', async (body, fields) => {
    const answer = await call('POST', `${O}/invitations/`, body)
    expect([answer.status, Object.keys(answer.json).sort()]).toEqual([400, fields])
  })
})

describe('organization settings', () => {
  const path = `${O}/settings/`
  test.each<[role: Role | undefined, read: number, write: number]>([
    ['owner', 200, 200],
    ['admin', 200, 200],
    ['member', 200, 403],
    ['viewer', 200, 403],
    [undefined, 404, 404],
  ])('%s: read %i, write %i', async (role, read, write) => {
    const { token } = await person(role ? `set-${role}` : 'set-stranger', role)
    expect((await call('GET', path, undefined, token)).status).toBe(read)
    expect((await call('PUT', path, { name: 'Acme' }, token)).status).toBe(write)
    expect((await call('PUT', `${O}/`, { name: 'Acme' }, token)).status).toBe(write)
  })

  test('an old slug leads to the new one, for those who may see it', async () => {
    const changed = await call('PUT', path, { slug: 'acme-two', retentionErrorsDays: 30 })
    expect(changed.json).toMatchObject({ slug: 'acme-two', retentionErrorsDays: 30, retentionErrorsDaysMax: 90 })
    const answer = await call('GET', `${O}/projects/`)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/api/0/organizations/acme-two/projects/'])
    const stranger = await person('set-stranger')
    expect((await call('GET', `${O}/projects/`, undefined, stranger.token)).status).toBe(404)
    const back = await call('PUT', '/organizations/acme-two/settings/', { slug: 'acme', retentionErrorsDays: null })
    expect(back.json).toMatchObject({ slug: 'acme', retentionErrorsDays: null })
  })

  test.each<[unknown, number, string]>([
    [{ slug: 'A b' }, 400, 'slug'],
    [{ name: ' ' }, 400, 'name'],
    [{ retentionErrorsDays: 91 }, 400, 'retentionErrorsDays'],
    [{ name: 'Acme', revision: 0 }, 409, 'current'],
  ])('%j is refused with %i', async (body, status, field) => {
    const answer = await call('PUT', path, body)
    expect([answer.status, Object.keys(answer.json)]).toEqual([status, expect.arrayContaining([field])])
  })
})

/** Refines an envelope with these items and commits it as a batch. */
async function commitItems(...items: [object, unknown][]) {
  const { app, project } = made()
  const body = ['{}', ...items.flatMap((pair) => pair.map((item) => JSON.stringify(item)))].join('\n')
  const { feedback, outcomes } = refineBody(body, { projectId: project.id, receivedMs: app.clock.now() })
  const at = await app.meta.batches.cursor('events')
  await app.meta.batches.commitBatch(
    await app.meta.batches.openBatch(at, at),
    { events: [], attachments: [], outcomes, dead: [], feedback },
    app.clock.now(),
  )
}
const report = (eventId: string, comments: string): [object, unknown] => [
  { type: 'user_report' },
  { event_id: eventId, name: '<b>Ann</b>', email: 'ann@example.test', comments },
]
const feedbackList = async (query = '') => (await call('GET', `${O}/feedback/${query}`)).json as RestFeedback[]

describe('feedback', () => {
  test('finds its issue, whichever came first', async () => {
    const { app, store } = made()
    await commitItems(report(hex(1), 'after its event'), report(hex(99), 'before its event'))
    expect(await linkFeedback(app)).toEqual({ linked: 1 })
    const rows = await feedbackList()
    expect(rows.map((row) => [row.message, row.issue === null])).toEqual([
      ['before its event', true],
      ['after its event', false],
    ])
    await store([{ event_id: hex(99), message: 'late one' }])
    const late = (await app.meta.feedback.listFeedback({ projectIds: [made().project.id], max: 10 }))[0]
    if (late) await app.meta.feedback.linkFeedback(late.id, { nextMs: 0 })
    expect(await linkFeedback(app)).toEqual({ linked: 1 })
    const linked = (await feedbackList()).map((item) => item.issue?.id)
    expect(linked.every(Boolean)).toBe(true)
    const ofIssue = (await call('GET', `${O}/issues/${linked[0]}/user-reports/`)).json as RestFeedback[]
    expect(ofIssue).toMatchObject([{ message: 'before its event', name: '<b>Ann</b>', status: 'new' }])
  })

  test('is counted as stored, and one that comes again as duplicate', async () => {
    const { app, project } = made()
    const row = (await app.meta.feedback.listFeedback({ projectIds: [project.id], max: 1 }))[0]
    if (!row) throw new Error('there is one')
    const outcome = {
      projectId: project.id,
      keyId: 1,
      category: 'feedback' as const,
      outcome: 'stored' as const,
      reason: 'ok' as const,
      itemType: 'user_report',
      quantity: 1,
      bytes: 5,
    }
    const at = await app.meta.batches.cursor('events')
    const effects = { events: [], attachments: [], outcomes: [], dead: [], feedback: [{ row, outcome }] }
    await app.meta.batches.commitBatch(await app.meta.batches.openBatch(at, at), effects, app.clock.now())
    const sums = (await app.meta.ledger.outcomesSince({ fromMs: 0 })).filter((item) => item.itemType === 'user_report')
    expect(sums.map((sum) => [sum.outcome, sum.category, sum.quantity]).sort()).toEqual([
      ['duplicate', 'feedback', 1],
      ['stored', 'feedback', 2],
    ])
  })

  test('changes its state; spam leaves the issue', async () => {
    const [first] = await feedbackList()
    const path = `${O}/feedback/${first?.id}/`
    expect((await call('PUT', path, { status: 'spam' })).json).toMatchObject({ status: 'spam' })
    expect(await feedbackList('?status=spam')).toHaveLength(1)
    expect((await feedbackList('?status=new')).map((item) => item.message)).toEqual(['after its event'])
    expect((await call('GET', `${O}/issues/${first?.issue?.id}/user-reports/`)).json).toEqual([])
    expect((await call('PUT', path, { status: 'gone' })).status).toBe(400)
  })

  test('pages each row once', async () => {
    const first = await made().call('GET', `${O}/feedback/?limit=1`)
    const next = /<([^>]+)>; rel="next"; results="true"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const second = await made().call('GET', next.replace(/^.*\/api\/0/, ''))
    expect(second.headers.get('link')).toContain('rel="next"; results="false"')
    const ids = [first, second].flatMap((item) => (item.json as RestFeedback[]).map((row) => row.id))
    expect(new Set(ids).size).toBe(2)
    expect((await call('GET', `${O}/feedback/?cursor=x`)).status).toBe(400)
  })

  test('a stranger and another organization do not see it', async () => {
    const stranger = await person('stranger-of-feedback')
    const [first] = await feedbackList()
    expect((await call('GET', `${O}/feedback/${first?.id}/`, undefined, stranger.token)).status).toBe(404)
    const { app } = made()
    const owner = await app.auth.personByEmail('owner@example.test')
    await app.meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: owner?.id ?? '' })
    expect((await call('GET', `/organizations/other/feedback/${first?.id}/`)).status).toBe(404)
    expect((await call('GET', `${O}/feedback/999999/`)).status).toBe(404)
  })
})

describe('deletion', () => {
  const issueOf = async (title: string) =>
    ((await call('GET', `${O}/issues/?query=`)).json as RestIssue[]).find((item) => item.title.includes(title))
  const wrong = async () => {
    const { app } = made()
    const checks = await verify({
      ...app,
      journal: { read: (from) => ({ records: [], next: from }) },
      durable: await app.meta.batches.cursor('events'),
      retainedSinceMs: app.clock.now() - 90 * 86_400_000,
    })
    return checks.flatMap((check) => check.wrong)
  }

  /** Deletes and waits for the end. On a slow machine, the answer comes earlier. */
  const removed = async (path: string) => {
    const answer = await call('DELETE', path)
    const { id } = answer.json as RestRemoval
    await made().app.removals.wait(Number(id), 15_000)
    return { status: answer.status, json: (await call('GET', `${O}/removals/${id}/`)).json as RestRemoval }
  }

  test('before it all stores agree', async () => {
    expect(await wrong()).toEqual([])
  })

  test('an issue goes from every store with its files and feedback, and the stores agree after it', async () => {
    const { app, project } = made()
    const issue = await issueOf('TypeError')
    const blobs = await app.blobs.list('attachments')
    expect([issue?.count, blobs.length]).toEqual(['3', 2])
    const hashes = (await app.meta.issues.hashesOf([Number(issue?.id)])).get(Number(issue?.id)) ?? []
    const answer = await removed(`${O}/issues/${issue?.id}/`)
    expect([answer.status, answer.json]).toMatchObject([
      202,
      { kind: 'issue', stage: 'done', events: 3, files: 2, error: '', title: issue?.shortId },
    ])
    expect((await call('GET', `${O}/issues/${issue?.id}/`)).status).toBe(404)
    expect(await app.events.byEventId([project.id], hex(1))).toEqual([])
    expect(await app.events.rowsOf(project.id, hashes)).toBe(0)
    expect(await app.blobs.list('attachments')).toEqual([])
    expect((await feedbackList()).map((item) => item.message)).toEqual(['before its event'])
    expect(await wrong()).toEqual([])
    const list = (await call('GET', `${O}/removals/`)).json as RestRemoval[]
    expect(list).toMatchObject([{ stage: 'done', issueId: issue?.id }])
  }, 60_000)

  test('the same error makes a new issue after it, unless it was deleted for good', async () => {
    const { app, store, project } = made()
    const before = await issueOf('RangeError')
    await removed(`${O}/issues/${before?.id}/`)
    const again = { ...seedEvents[3], event_id: hex(204) }
    await store([again])
    const second = await issueOf('RangeError')
    expect([second?.count, second?.id === before?.id]).toEqual(['1', false])
    await removed(`${O}/issues/${second?.id}/?discard=1`)
    const settings = await app.meta.projects.projectSettings(project.id)
    expect(settings?.discardedHashes?.length).toBeGreaterThan(0)
    expect(() => refineEvent({ ...again, event_id: hex(205) }, { projectId: project.id }, settings)).toThrow(
      'discarded',
    )
    const [filter] = (await call('GET', '/projects/acme/web/tombstones/')).json as { id: string }[]
    expect(filter?.id).toBe(second?.shortId)
    expect((await call('DELETE', `/projects/acme/web/tombstones/${filter?.id}/`)).status).toBe(204)
    expect((await app.meta.projects.projectSettings(project.id))?.discardedHashes).toBeUndefined()
    expect(await wrong()).toEqual([])
  }, 60_000)

  test('a project goes with everything; what comes after it is filtered', async () => {
    const { app, project } = made()
    expect(await app.meta.projects.keysOf(project.id)).toHaveLength(1)
    const answer = await removed('/projects/acme/web/')
    expect([answer.status, answer.json]).toMatchObject([202, { kind: 'project', stage: 'done', title: 'Web' }])
    expect((await call('GET', '/projects/acme/web/')).status).toBe(404)
    expect([await app.meta.projects.projectById(project.id), await app.meta.projects.keysOf(project.id)]).toEqual([
      undefined,
      [],
    ])
    expect(await app.events.rowsOf(project.id)).toBe(0)
    expect(await app.blobs.list(`attachments/${project.id}`)).toEqual([])
    expect(await feedbackList()).toEqual([])
    expect(await app.meta.projects.projectSettings(project.id)).toMatchObject({ removed: true })
    expect(await wrong()).toEqual([])
    expect((await call('DELETE', '/projects/acme/web/')).status).toBe(404)
  }, 60_000)

  test('an organization goes with its projects, members and tokens; owners only', async () => {
    const { app, project, organization } = made()
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const { token } = await person(`no-${role}`, role)
      expect((await call('DELETE', `${O}/`, undefined, token)).status).toBe(403)
    }
    expect((await call('DELETE', `${O}/`, undefined, (await person('nobody')).token)).status).toBe(404)
    const answer = await call('DELETE', `${O}/`)
    expect([answer.status, answer.json]).toMatchObject([202, { kind: 'organization', projectId: null, title: 'Acme' }])
    const own = async () => ((await call('GET', '/users/me/removals/')).json as RestRemoval[])[0]
    await expect.poll(async () => (await own())?.stage, { timeout: 10_000 }).toBe('done')
    expect(await own()).toMatchObject({ id: (answer.json as RestRemoval).id, error: '' })
    expect([
      await app.meta.organizations.organizationById(organization.id),
      await app.meta.projects.projectById(project.id),
    ]).toEqual([undefined, undefined])
    expect([await app.events.rowsOf(project.id), (await call('GET', `${O}/`)).status]).toEqual([0, 404])
    expect((await call('DELETE', `${O}/`)).status).toBe(404)
    expect(await wrong()).toEqual([])
  }, 60_000)
})
