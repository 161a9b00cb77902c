import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { createOutgoing } from '../base/outgoing.ts'
import { commit, effect, hash } from '../store/meta/fixture.cases.ts'
import { pushDue } from '../trackers/push.ts'
import { goodToken, startVendor } from '../trackers/vendors.cases.ts'
import { createHookCalls } from './hook-calls.ts'
import { operationRig } from './rig.cases.ts'
import { receiveHook } from './tracker-hooks.ts'
import { createExternalIssue, linkExternalIssue, trackerDeps } from './trackers.ts'

const fresh = operationRig()
const secret = 'a secret of the hook'
const sha = 'a'.repeat(40)
const repository = { full_name: 'acme/web', html_url: 'https://github.com/acme/web', default_branch: 'main' }
/** The person of the token, and another one. */
const us = { id: 7, login: 'octo' }
const them = { id: 8, login: 'eve' }

/** Two issues; the first is linked with GitHub's issue 1. `send` delivers a signed webhook. */
async function rig(options: { syncState?: boolean; syncComments?: boolean } = {}) {
  const outgoing = createOutgoing({ clock: systemClock, allowedNetworks: ['127.0.0.0/8'] })
  const base = await fresh()
  const hookCalls = createHookCalls({ ...base, observe: silent })
  const deps = { ...base, hookCalls, outgoing, observe: silent, config: { url: 'https://mishap.test' } }
  const { meta, clock, ann } = deps
  await commit(meta, { events: [effect(), effect({ hashes: [hash(2)], eventId: 'b'.repeat(32) })] })
  const vendor = await startVendor('github')
  const integration = await meta.trackers.createIntegration({
    organizationId: 1,
    kind: 'github',
    name: 'acme/web',
    url: vendor.url,
    target: 'acme/web',
    email: '',
    account: us.login,
    accountId: String(us.id),
    sealedToken: deps.seal.seal(goodToken),
    sealedSecret: deps.seal.seal(secret),
    syncState: options.syncState ?? true,
    syncComments: options.syncComments ?? true,
    connectedBy: 'ann',
  })
  const issue = async (id = 1) => {
    const found = await meta.issues.issueById(id)
    if (!found) throw new Error('no issue')
    return found
  }
  const link = await createExternalIssue(deps, integration, await issue(), ann, {})
  deps.announced.length = 0
  const sent = { count: 0 }
  const deliver = (body: string, headers: Record<string, string>) =>
    receiveHook(deps, integration, new Headers(headers), new TextEncoder().encode(body))
  const send = (event: string, payload: object, delivery = `delivery-${++sent.count}`) => {
    const body = JSON.stringify({ repository, ...payload })
    return deliver(body, {
      'x-github-event': event,
      'x-github-delivery': delivery,
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    })
  }
  const say = (action: 'closed' | 'reopened', sender: object = them, delivery?: string) =>
    send('issues', { action, issue: { number: 1 }, sender }, delivery)
  const status = async (id = 1) => (await issue(id)).status
  const push = () => pushDue(trackerDeps(deps))
  return { deps, meta, clock, ann, vendor, integration, issue, link, deliver, send, say, status, push }
}
const resolved = { status: 'resolved', substatus: null, statusDetails: {} } as const
const reopened = { status: 'unresolved', substatus: 'ongoing', statusDetails: {} } as const

describe('states', () => {
  test('closing and reopening there resolves and reopens here, with the reason, and sends nothing back', async () => {
    const { deps, meta, vendor, say, status, push } = await rig()
    const calls = vendor.calls.length
    expect([await say('closed'), await status()]).toEqual(['accepted', 'resolved'])
    expect(deps.announced).toEqual([{ kind: 'issue', id: '1' }])
    expect((await meta.issues.activityOf(1)).at(-1)).toMatchObject({
      type: 'set_resolved',
      userId: null,
      data: { reason: 'tracker', tracker: 'acme/web#1' },
    })
    expect(await push()).toEqual({ settled: 0, failed: 0 })
    expect([await say('reopened'), await status()]).toEqual(['accepted', 'unresolved'])
    expect(await push()).toEqual({ settled: 0, failed: 0 })
    expect(vendor.calls.length).toBe(calls)
  })

  test('issues of another repository with the same number are ignored, and names are not case-sensitive', async () => {
    const { meta, send, status } = await rig()
    const closed = { action: 'closed', issue: { number: 1 }, sender: them }
    const comment = { id: 9, body: 'Elsewhere', user: them }
    const other = { ...repository, full_name: 'acme/other' }
    expect(await send('issues', { ...closed, repository: other })).toBe('ignored')
    expect(await send('issues', { ...closed, repository: {} })).toBe('ignored')
    expect(await send('issue_comment', { ...closed, action: 'created', comment, repository: other })).toBe('ignored')
    expect([await status(), (await meta.issues.activityOf(1)).filter(({ type }) => type === 'note')]).toEqual([
      'unresolved',
      [],
    ])
    expect(await send('issues', { ...closed, repository: { ...repository, full_name: 'Acme/Web' } })).toBe('accepted')
  })

  test('a delivery without an issue is not about links that have no tracker issue yet', async () => {
    const { meta, clock, integration, send, status } = await rig()
    const origin = { integrationId: integration.id, issueId: 2, origin: 'rule-7', createdBy: null }
    await meta.trackers.reserveExternal(origin, clock.now())
    expect(await send('issues', { action: 'closed', sender: them })).toBe('ignored')
    const comment = { id: 9, body: 'Nowhere', user: them }
    expect(await send('issue_comment', { action: 'created', comment, sender: them })).toBe('ignored')
    const notes = (await meta.issues.activityOf(2)).filter(({ type }) => type === 'note')
    expect([await status(2), notes]).toEqual(['unresolved', []])
  })

  test('a delivery that arrives twice is ignored', async () => {
    const { meta, clock, say, status } = await rig()
    expect(await say('closed', them, 'delivery-same')).toBe('accepted')
    await meta.issues.updateIssue(1, reopened, 'ann', clock.now())
    expect([await say('closed', them, 'delivery-same'), await status()]).toEqual(['repeated', 'unresolved'])
  })

  test('our own change comes back as a webhook and changes nothing, however late', async () => {
    const { meta, clock, vendor, say, status, push } = await rig()
    await meta.issues.updateIssue(1, resolved, 'ann', clock.now())
    await push()
    // A person reopens before the webhook of our call arrives.
    await meta.issues.updateIssue(1, reopened, 'ann', clock.now())
    await push()
    expect(vendor.issues[0]?.state).toBe('open')
    expect([await say('closed', us), await status()]).toEqual(['ignored', 'unresolved'])
    expect([await say('reopened', us), await status()]).toEqual(['ignored', 'unresolved'])
    expect(await push()).toEqual({ settled: 0, failed: 0 })
    // The same person closes it by hand later: that is no echo.
    expect([await say('closed', us), await status()]).toEqual(['accepted', 'resolved'])
  })

  test('a webhook that comes before the answer of our call is recognized', async () => {
    const { meta, clock, link, say, status } = await rig()
    await meta.issues.updateIssue(1, resolved, 'ann', clock.now())
    await meta.trackers.notePush(link.id, 'closed', clock.now())
    expect([await say('closed', us), await status()]).toEqual(['ignored', 'resolved'])
    // After a quarter of an hour a note is no proof any more.
    await meta.trackers.notePush(link.id, 'open', clock.now())
    clock.advance(15 * 60_000 + 1)
    expect([await say('reopened', us), await status()]).toEqual(['accepted', 'unresolved'])
  })

  test('both sides closing at once ends closed on both, without calls back and forth', async () => {
    const { meta, clock, vendor, say, status, push } = await rig()
    await meta.issues.updateIssue(1, resolved, 'ann', clock.now())
    expect(await say('closed')).toBe('ignored')
    const calls = vendor.calls.length
    for (let round = 0; round < 5; round++) await push()
    expect([await status(), vendor.calls.length - calls]).toEqual(['resolved', 0])
  })

  test('a closed tracker issue resolves all issues that are linked with it', async () => {
    const { deps, integration, ann, issue, say, status } = await rig()
    await linkExternalIssue(deps, integration, await issue(2), ann, '#1')
    await say('closed')
    expect([await status(1), await status(2)]).toEqual(['resolved', 'resolved'])
  })

  test('an archived issue stays archived when its tracker issue is reopened', async () => {
    const { meta, clock, say, status } = await rig()
    await meta.issues.updateIssue(1, { status: 'ignored', statusDetails: {} }, 'ann', clock.now())
    expect([await say('reopened'), await status()]).toEqual(['ignored', 'ignored'])
    expect([await say('closed'), await status()]).toEqual(['accepted', 'resolved'])
  })

  test('with the option off the state is shown, and the issue stays', async () => {
    const { meta, link, say, status } = await rig({ syncState: false })
    expect([await say('closed'), await status()]).toEqual(['accepted', 'unresolved'])
    expect(await meta.trackers.externalById(link.id)).toMatchObject({ state: 'closed' })
  })

  test('an issue that is linked with nothing is ignored', async () => {
    const { send } = await rig()
    expect(await send('issues', { action: 'closed', issue: { number: 99 }, sender: them })).toBe('ignored')
  })
})

describe('comments', () => {
  const comment = (body: string, user: { id: number; login: string } = them, id = 99) => ({
    action: 'created',
    issue: { number: 1 },
    sender: user,
    comment: { id, body, user },
  })
  const texts = async ({ meta }: Pick<Awaited<ReturnType<typeof rig>>, 'meta'>) =>
    (await meta.issues.activityOf(1)).flatMap(({ type, data }) => (type === 'note' ? [data.text] : []))

  test('arrive once with their author and do not go back', async () => {
    const here = await rig()
    expect(await here.send('issue_comment', comment('Seen here, too'))).toBe('accepted')
    // The same comment in another delivery.
    expect(await here.send('issue_comment', comment('Seen here, too'))).toBe('ignored')
    expect(await texts(here)).toEqual(['Seen here, too'])
    expect((await here.meta.issues.activityOf(1)).at(-1)).toMatchObject({
      userId: null,
      data: { tracker: 'acme/web#1', trackerAuthor: 'eve' },
    })
    await here.push()
    expect(here.vendor.issues[0]?.comments).toEqual([])
  })

  test('that we copied do not come back, by their id or by their mark', async () => {
    const here = await rig()
    await here.meta.issues.addComment(1, 'ann', 'ours', here.clock.now())
    await here.push()
    const copied = here.vendor.issues[0]?.comments[0] ?? ''
    expect(await here.send('issue_comment', comment(copied, us, 501))).toBe('ignored')
    expect(await here.send('issue_comment', comment(copied, us, 777))).toBe('ignored')
    expect(await texts(here)).toEqual(['ours'])
    // The person of the token writes there by hand.
    expect(await here.send('issue_comment', comment('By hand', us, 778))).toBe('accepted')
  })

  test('are cut, and stay away with the option off or without text', async () => {
    const here = await rig()
    await here.send('issue_comment', comment('x'.repeat(20_000)))
    expect(String((await texts(here))[0]).length).toBe(8_000)
    expect(await here.send('issue_comment', comment('  ', them, 100))).toBe('ignored')
    const off = await rig({ syncComments: false })
    expect([await off.send('issue_comment', comment('Seen')), await texts(off)]).toEqual(['ignored', []])
  })
})

describe('commits', () => {
  const pushOf = (ref: string, message: string, id = sha) => ({
    ref,
    sender: them,
    commits: [{ id, message, timestamp: '2026-11-01T10:00:00Z', author: { name: 'Eve', email: 'eve@x.test' } }],
  })

  test('on the default branch resolve what they fix until a release has them', async () => {
    const { meta, send, issue } = await rig()
    expect(await send('push', pushOf('refs/heads/main', 'Mend it\n\nfixes WEB-1'))).toBe('accepted')
    expect(await issue()).toMatchObject({
      status: 'resolved',
      statusDetails: { inCommit: { repository: 'acme/web', commit: sha } },
    })
    expect((await meta.issues.activityOf(1)).at(-1)).toMatchObject({
      userId: null,
      data: { reason: 'commit', author: 'Eve' },
    })
    const stored = await meta.releases.recentCommitsOf({ organizationId: 1, text: '', max: 5 })
    expect(stored).toMatchObject([{ repository: 'acme/web', repositoryUrl: 'https://github.com/acme/web', sha }])
  })

  test('on another branch are only stored, and count once they are on the default branch', async () => {
    const { send, status } = await rig()
    expect(await send('push', pushOf('refs/heads/topic', 'fixes WEB-1'))).toBe('accepted')
    expect(await status()).toBe('unresolved')
    await send('push', pushOf('refs/heads/main', 'fixes WEB-1'))
    expect(await status()).toBe('resolved')
  })

  test('of a merged pull request fix what its text says', async () => {
    const { send, status } = await rig()
    const pull = {
      merged: true,
      merge_commit_sha: sha,
      title: 'T',
      body: 'Closes WEB-2',
      base: { ref: 'main' },
      user: them,
    }
    await send('pull_request', { action: 'closed', pull_request: pull, sender: them })
    expect([await status(1), await status(2)]).toEqual(['unresolved', 'resolved'])
  })

  test('that a release has already resolve nothing again', async () => {
    const { meta, clock, send, status } = await rig()
    const stored = {
      repository: 'acme/web',
      sha,
      message: 'fixes WEB-1',
      authorName: '',
      authorEmail: '',
      atMs: 1,
      files: undefined,
      filesOmitted: 0,
    }
    await meta.releases.setCommits({ organizationId: 1, version: '1.0' }, [stored], clock.now())
    await send('push', pushOf('refs/heads/main', 'fixes WEB-1'))
    expect(await status()).toBe('unresolved')
  })

  test('cannot resolve an issue of another organization', async () => {
    const { meta, send } = await rig()
    await meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'eve' })
    const project = await meta.projects.createProject({ organizationId: 2, slug: 'api', name: 'Api', platform: '' })
    await commit(meta, { events: [effect({ projectId: project.id, hashes: [hash(9)] })] })
    await send('push', pushOf('refs/heads/main', 'fixes API-1'))
    expect((await meta.issues.issueByShortId(2, 'API-1'))?.status).toBe('unresolved')
  })

  test('a push without commits is ignored', async () => {
    const { send } = await rig()
    expect(await send('push', { ref: 'refs/heads/main', sender: them, commits: [] })).toBe('ignored')
  })
})

describe('deliveries', () => {
  test('without the right signature change nothing and are counted', async () => {
    const { deps, meta, clock, deliver, status } = await rig()
    const body = JSON.stringify({ action: 'closed', issue: { number: 1 }, sender: them, repository })
    const event = { 'x-github-event': 'issues', 'x-github-delivery': 'delivery-x' }
    expect(await deliver(body, event)).toBe('unsigned')
    expect(await deliver(body, { ...event, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` })).toBe('bad_signature')
    expect(await status()).toBe('unresolved')
    await deps.hookCalls.flush()
    expect(await meta.trackers.hookCountsOf(1, clock.now())).toMatchObject([
      { outcome: 'bad_signature', quantity: 1 },
      { outcome: 'unsigned', quantity: 1 },
    ])
  })

  test.each(['', 'no json', '[]', '5', 'null', '{"a":'])('with the body %j are invalid', async (body) => {
    const { deliver } = await rig()
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    expect(await deliver(body, { 'x-github-event': 'issues', 'x-hub-signature-256': signature })).toBe('invalid')
  })

  test('are refused when the secret cannot be decrypted', async () => {
    const { deps, meta, integration } = await rig()
    const damaged = await meta.trackers.updateIntegration(integration.id, { sealedSecret: 'v1.damaged' })
    const body = new TextEncoder().encode('{}')
    const headers = new Headers({
      'x-hub-signature-256': `sha256=${createHmac('sha256', '').update(body).digest('hex')}`,
    })
    expect(await receiveHook(deps, damaged, headers, body)).toBe('bad_signature')
  })

  test('that fail are not noted, so that the service sends them again', async () => {
    const { deps, integration } = await rig()
    const body = JSON.stringify({ action: 'closed', issue: { number: 1 }, sender: them, repository })
    const headers = new Headers({
      'x-github-event': 'issues',
      'x-github-delivery': 'delivery-f',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    })
    const bytes = new TextEncoder().encode(body)
    const { issues } = deps.meta
    const broken = { ...deps.meta, issues: { ...issues, updateIssue: async () => Promise.reject(new Error('down')) } }
    await expect(receiveHook({ ...deps, meta: broken }, integration, headers, bytes)).rejects.toThrow('down')
    expect(await receiveHook(deps, integration, headers, bytes)).toBe('accepted')
  })
})
