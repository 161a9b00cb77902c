import { describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { createOutgoing } from '../base/outgoing.ts'
import { type TrackerKind, trackerKinds } from '../domain/alerts/trackers.ts'
import { commit, effect, hash } from '../store/meta/fixture.cases.ts'
import { createTrackerIssue } from '../trackers/create.ts'
import { pushDue } from '../trackers/push.ts'
import { goodToken, startVendor, targets } from '../trackers/vendors.cases.ts'
import { endOf, operationRig, sessionOf } from './rig.cases.ts'
import {
  changeTracker,
  connectTracker,
  createExternalIssue,
  disconnectTracker,
  linkExternalIssue,
  renewTrackerSecret,
  testTracker,
  trackerDeps,
  unlinkExternalIssue,
} from './trackers.ts'

const fresh = operationRig()
const outgoing = createOutgoing({ clock: systemClock, allowedNetworks: ['127.0.0.0/8'] })

/** Two issues and a service of this kind. */
async function rig(kind: TrackerKind = 'github') {
  const deps = { ...(await fresh()), outgoing, observe: silent, config: { url: 'https://mishap.test' } }
  await commit(deps.meta, { events: [effect(), effect({ hashes: [hash(2)], eventId: 'b'.repeat(32) })] })
  const vendor = await startVendor(kind)
  const issue = async (id = 1) => {
    const found = await deps.meta.issues.issueById(id)
    if (!found) throw new Error('no issue')
    return found
  }
  const text = {
    kind,
    name: '',
    url: kind === 'github' ? `${vendor.url}/` : vendor.url,
    target: targets[kind],
    email: kind === 'jira' ? 'jay@acme.test' : '',
    token: goodToken,
  }
  return { deps, vendor, text, issue }
}

/** The rig with a connection. GitHub's server needs the path of its API, which the fake has not. */
async function connected(kind: TrackerKind = 'github') {
  const here = await rig(kind)
  const { deps, text, vendor } = here
  const integration = await deps.meta.trackers.createIntegration({
    organizationId: 1,
    kind,
    name: text.target,
    url: vendor.url,
    target: text.target,
    email: text.email,
    account: 'octo',
    accountId: '7',
    sealedToken: deps.seal.seal(goodToken),
    sealedSecret: deps.seal.seal('a secret of the hook'),
    syncState: true,
    syncComments: true,
    connectedBy: 'ann',
  })
  const current = async () => {
    const found = await deps.meta.trackers.integrationById(integration.id)
    if (!found) throw new Error('no connection')
    return found
  }
  return { ...here, integration, current, push: () => pushDue(trackerDeps(deps)) }
}
const resolved = { status: 'resolved', substatus: null, statusDetails: {} } as const
const reopened = { status: 'unresolved', substatus: 'ongoing', statusDetails: {} } as const

describe('connecting', () => {
  test.each(['gitlab', 'jira', 'linear'] as const)(
    '%s stores token and secret sealed, with the account',
    async (kind) => {
      const { deps, text } = await rig(kind)
      const { integration, secret } = await connectTracker(deps, 1, text, deps.ann)
      expect(integration).toMatchObject({
        kind,
        name: text.target,
        accountId: '7',
        syncState: true,
        syncComments: false,
        connectedBy: 'ann',
      })
      expect(secret).toMatch(/^mht_[\w-]{32}$/)
      expect([integration.sealedToken, integration.sealedSecret].join()).not.toMatch(/good-token|mht_/)
      expect([deps.seal.open(integration.sealedToken), deps.seal.open(integration.sealedSecret)]).toEqual([
        goodToken,
        secret,
      ])
    },
  )

  test('GitHub Enterprise Server is asked below its API’s path', async () => {
    const { deps, text, vendor } = await rig('github')
    expect(await endOf(() => connectTracker(deps, 1, text, deps.ann))).toEqual(['VALIDATION', ['tracker']])
    expect(vendor.calls.map(({ path }) => path)).toEqual(['/api/v3/user'])
  })

  test.each<[kind: TrackerKind, change: Record<string, string>, fields: string[]]>([
    ['github', { target: 'web' }, ['target']],
    ['github', { target: 'acme/web/x' }, ['target']],
    ['github', { target: '../web' }, ['target']],
    ['gitlab', { target: 'acme' }, ['target']],
    ['gitlab', { target: 'acme/../web' }, ['target']],
    ['jira', { target: 'we b' }, ['target']],
    ['linear', { target: '1WEB' }, ['target']],
    ['jira', { url: '' }, ['url']],
    ['jira', { url: 'ftp://x.test' }, ['url']],
    ['jira', { url: 'https://me:pw@x.test' }, ['url']],
    ['gitlab', { url: 'https://x.test/?a=1' }, ['url']],
    ['jira', { email: 'jay' }, ['email']],
    ['jira', { email: 'jay:x@acme.test' }, ['email']],
    ['gitlab', { token: 'short' }, ['token']],
    ['gitlab', { token: 'with a\r\nheader: x' }, ['token']],
    ['gitlab', { secret: 'too short' }, ['secret']],
    ['gitlab', { name: 'x'.repeat(65) }, ['name']],
  ])('%s with %j is refused', async (kind, change, fields) => {
    const { deps, text } = await rig(kind)
    expect(await endOf(() => connectTracker(deps, 1, { ...text, ...change }, deps.ann))).toEqual(['VALIDATION', fields])
    expect(await deps.meta.trackers.integrationsOf(1)).toEqual([])
  })

  test('a refused token is not stored, and the answer has the words of the service', async () => {
    const { deps, text } = await rig('gitlab')
    const attempt = connectTracker(deps, 1, { ...text, token: 'wrong-token-99' }, deps.ann)
    await expect(attempt).rejects.toMatchObject({ fields: { tracker: ['401: 401 Unauthorized'] } })
    expect(await deps.meta.trackers.integrationsOf(1)).toEqual([])
  })

  test('a private address is refused without the address that it has', async () => {
    const { deps, text } = await rig('gitlab')
    const guarded = createOutgoing({ clock: systemClock, allowedNetworks: [] })
    const attempt = connectTracker({ ...deps, outgoing: guarded }, 1, { ...text, url: 'http://localhost:1' }, deps.ann)
    await expect(attempt).rejects.toMatchObject({ code: 'OUTGOING_REFUSED' })
    await expect(attempt).rejects.not.toThrow(/127\.0\.0\.1|::1/)
  })
})

describe('changing', () => {
  test('options need no call; a new token is asked about and names who must reconnect', async () => {
    const { deps, vendor, current } = await connected('gitlab')
    const changed = await changeTracker(
      deps,
      await current(),
      { syncState: false, syncComments: false, name: 'Web' },
      deps.ann,
    )
    expect(changed).toMatchObject({ syncState: false, syncComments: false, name: 'Web' })
    expect(vendor.calls).toEqual([])
    await deps.meta.trackers.setIntegrationError(changed.id, '401', true, 5)
    const bob = await changeTracker(deps, await current(), { token: goodToken }, sessionOf('bob'))
    expect(bob).toMatchObject({ connectedBy: 'bob', refusedMs: null, account: 'tanuki' })
    const wrong = () => changeTracker(deps, bob, { token: 'wrong-token-99' }, deps.ann)
    expect(await endOf(wrong)).toEqual(['VALIDATION', ['tracker']])
    expect(await current()).toMatchObject({ connectedBy: 'bob' })
  })

  test('a stored token never goes to another address', async () => {
    const { deps, current } = await connected('gitlab')
    const other = await startVendor('gitlab')
    const move = async (token?: string) => changeTracker(deps, await current(), { url: other.url, token }, deps.ann)
    expect(await endOf(() => move())).toEqual(['VALIDATION', ['token']])
    expect(other.calls).toEqual([])
    expect((await move(goodToken)).url).toBe(other.url)
  })

  test('a secret is replaced, by us or by the one that Linear made', async () => {
    const { deps, current } = await connected('linear')
    const secret = await renewTrackerSecret(deps, await current())
    expect(deps.seal.open((await current()).sealedSecret)).toBe(secret)
    await changeTracker(deps, await current(), { secret: 'lin_wh_0123456789abcdef' }, deps.ann)
    expect(deps.seal.open((await current()).sealedSecret)).toBe('lin_wh_0123456789abcdef')
    await disconnectTracker(deps, (await current()).id)
    expect(await deps.meta.trackers.integrationsOf(1)).toEqual([])
  })

  test('a test gives the account, or stores the refusal; a working token ends it', async () => {
    const { deps, vendor, current } = await connected()
    expect(await testTracker(deps, await current())).toBe('octo')
    vendor.fail.push({ status: 401, body: { message: 'Bad credentials' } })
    expect(await endOf(async () => testTracker(deps, await current()))).toEqual(['VALIDATION', ['tracker']])
    expect(await current()).toMatchObject({ refusedMs: deps.clock.now(), lastError: '401: Bad credentials' })
    await testTracker(deps, await current())
    expect(await current()).toMatchObject({ refusedMs: null, lastError: '' })
  })

  test('a token that cannot be decrypted counts as refused', async () => {
    const { deps, current } = await connected()
    await deps.meta.trackers.updateIntegration((await current()).id, { sealedToken: 'v1.damaged' })
    expect(await endOf(async () => testTracker(deps, await current()))).toEqual(['VALIDATION', ['tracker']])
    expect((await current()).refusedMs).not.toBeNull()
    expect((await current()).lastError).toContain('decrypted')
  })
})

describe('creating and linking', () => {
  test.each(trackerKinds)('%s gets the prefilled text, and the link its key', async (kind) => {
    const { deps, vendor, integration, issue } = await connected(kind)
    const link = await createExternalIssue(deps, integration, await issue(), deps.ann, {})
    expect(link).toMatchObject({ issueId: 1, state: 'open', createdBy: 'ann', error: '' })
    expect(vendor.issues[0]?.title).toBe('WEB-1: TypeError: x is not a function')
    expect(vendor.issues[0]?.body).toContain('https://mishap.test/o/acme/issues/1')
  })

  test('a person’s text replaces the prefilled one', async () => {
    const { deps, vendor, integration, issue } = await connected()
    await createExternalIssue(deps, integration, await issue(), deps.ann, { title: 'Mine', body: 'My words @octocat' })
    expect(vendor.issues).toMatchObject([{ title: 'Mine', body: 'My words @octocat' }])
  })

  test('a rule creates one issue however often it fires, also after a failure', async () => {
    const { deps, vendor, integration, issue } = await connected()
    const fire = async (id = 1) =>
      createTrackerIssue(trackerDeps(deps), integration, await issue(id), { origin: 'rule-7', userId: null })
    vendor.fail.push({ status: 500, body: { message: 'oops' } })
    await expect(fire()).rejects.toThrow('500: oops')
    expect(await deps.meta.trackers.externalIssuesOf(1)).toMatchObject([{ externalId: '', error: '500: oops' }])
    const first = await fire()
    expect(await fire()).toEqual(first)
    expect(vendor.issues.length).toBe(1)
    await fire(2)
    expect(vendor.issues.length).toBe(2)
  })

  test('two processes do not create two; after a minute the other one counts as dead', async () => {
    const { deps, vendor, integration, issue } = await connected()
    const options = { origin: 'rule-7', userId: null }
    await deps.meta.trackers.reserveExternal(
      { integrationId: integration.id, issueId: 1, origin: 'rule-7', createdBy: null },
      deps.clock.now(),
    )
    const fire = async () => createTrackerIssue(trackerDeps(deps), integration, await issue(), options)
    expect(await endOf(fire)).toEqual(['CONFLICT', []])
    deps.clock.advance(60_000)
    expect((await fire()).key).toBe('acme/web#1')
    expect(vendor.issues.length).toBe(1)
  })

  test('a refused connection is not asked', async () => {
    const { deps, vendor, current, issue, integration } = await connected()
    await deps.meta.trackers.setIntegrationError(integration.id, '401: no', true, 5)
    const create = async () => createExternalIssue(deps, await current(), await issue(), deps.ann, {})
    expect(await endOf(create)).toEqual(['VALIDATION', ['tracker']])
    expect(vendor.calls).toEqual([])
  })

  test('an existing issue is linked by key once, and unlinked', async () => {
    const { deps, vendor, integration, issue } = await connected()
    vendor.issues.push({ number: 1, title: 'There', body: '', state: 'closed', comments: [] })
    const link = async (name: string) => linkExternalIssue(deps, integration, await issue(), deps.ann, name)
    const made = await link('acme/web#1')
    expect(made).toMatchObject({ key: 'acme/web#1', title: 'There', state: 'closed' })
    expect(await endOf(() => link('#1'))).toEqual(['CONFLICT', []])
    expect(await endOf(() => link('other/web#1'))).toEqual(['VALIDATION', ['issue']])
    expect(await endOf(() => link('#99'))).toEqual(['VALIDATION', ['tracker']])
    expect((await deps.meta.trackers.externalIssuesOf(1)).map(({ id }) => id)).toEqual([made.id])
    await unlinkExternalIssue(deps, made.id)
    expect(await deps.meta.trackers.externalIssuesOf(1)).toEqual([])
  })

  test('linking a closed issue changes neither side', async () => {
    const { deps, vendor, integration, issue, push } = await connected()
    vendor.issues.push({ number: 1, title: 'There', body: '', state: 'closed', comments: [] })
    await linkExternalIssue(deps, integration, await issue(), deps.ann, '#1')
    expect(await push()).toEqual({ settled: 0, failed: 0 })
    expect([vendor.issues[0]?.state, (await issue()).status]).toEqual(['closed', 'unresolved'])
  })
})

describe('sending', () => {
  test.each(trackerKinds)('%s closes and reopens with the issue, once each', async (kind) => {
    const { deps, vendor, integration, issue, push } = await connected(kind)
    await createExternalIssue(deps, integration, await issue(), deps.ann, {})
    await deps.meta.issues.updateIssue(1, resolved, 'ann', deps.clock.now())
    expect(await push()).toEqual({ settled: 1, failed: 0 })
    expect(vendor.issues[0]?.state).toBe('closed')
    const calls = vendor.calls.length
    expect(await push()).toEqual({ settled: 0, failed: 0 })
    expect(vendor.calls.length).toBe(calls)
    await deps.meta.issues.updateIssue(1, reopened, 'ann', deps.clock.now())
    await push()
    expect(vendor.issues[0]?.state).toBe('open')
  })

  test('failures wait longer each time and obey the service', async () => {
    const { deps, vendor, integration, issue, push } = await connected()
    const { id } = await createExternalIssue(deps, integration, await issue(), deps.ann, {})
    await deps.meta.issues.updateIssue(1, resolved, 'ann', deps.clock.now())
    const waits: number[] = []
    for (const retry of [undefined, undefined, '1800', undefined, undefined, undefined]) {
      const headers = retry ? { 'retry-after': retry } : {}
      vendor.fail.push({ status: retry ? 429 : 500, body: { message: 'oops' }, headers })
      expect(await push()).toEqual({ settled: 0, failed: 1 })
      expect(await push()).toEqual({ settled: 0, failed: 0 })
      const link = await deps.meta.trackers.externalById(id)
      waits.push(((link?.nextMs ?? 0) - deps.clock.now()) / 1000)
      deps.clock.advance((link?.nextMs ?? 0) - deps.clock.now())
    }
    expect(waits).toEqual([10, 60, 1800, 3600, 21_600, 21_600])
    expect(await push()).toEqual({ settled: 1, failed: 0 })
    expect(await deps.meta.trackers.externalById(id)).toMatchObject({ attempts: 0, error: '', state: 'closed' })
  })

  test('a refused token stops everything until a person reconnects', async () => {
    const { deps, vendor, integration, issue, push, current } = await connected('gitlab')
    await createExternalIssue(deps, integration, await issue(), deps.ann, {})
    await deps.meta.issues.updateIssue(1, resolved, 'ann', deps.clock.now())
    vendor.fail.push({ status: 401, body: { message: '401 Unauthorized' } })
    await push()
    const calls = vendor.calls.length
    deps.clock.advance(86_400_000)
    expect(await push()).toEqual({ settled: 0, failed: 0 })
    expect([vendor.calls.length, (await current()).refusedMs]).toEqual([calls, deps.clock.now() - 86_400_000])
    await changeTracker(deps, await current(), { token: goodToken }, deps.ann)
    expect(await push()).toEqual({ settled: 1, failed: 0 })
    expect(vendor.issues[0]?.state).toBe('closed')
  })

  test('a tracker issue of two issues closes with the second one', async () => {
    const { deps, vendor, integration, issue, push } = await connected()
    await createExternalIssue(deps, integration, await issue(1), deps.ann, {})
    await linkExternalIssue(deps, integration, await issue(2), deps.ann, '#1')
    await deps.meta.issues.updateIssue(1, resolved, 'ann', deps.clock.now())
    await push()
    expect(vendor.issues[0]?.state).toBe('open')
    await deps.meta.issues.updateIssue(2, resolved, 'ann', deps.clock.now())
    await push()
    expect(vendor.issues[0]?.state).toBe('closed')
  })

  const undocumented = [
    ['half a body', { status: 200, body: '{"id":' }],
    ['a status that is none', { status: 777, body: {} }],
    ['a page', { status: 200, body: '<html>', headers: { 'content-type': 'text/html' } }],
    ['a header that no client reads', { status: 200, body: 'x', headers: { 'content-type': ';;=' } }],
  ] as const
  const each = trackerKinds.flatMap((kind) => undocumented.map(([says, answer]) => ({ kind, says, answer })))
  test.each(each)('$kind: $says ends only its own link, which waits', async ({ kind, answer }) => {
    const { deps, vendor, integration, issue, push } = await connected(kind)
    const { id } = await createExternalIssue(deps, integration, await issue(1), deps.ann, {})
    await createExternalIssue(deps, integration, await issue(2), deps.ann, {})
    for (const at of [1, 2]) await deps.meta.issues.updateIssue(at, resolved, 'ann', deps.clock.now())
    vendor.fail.push(answer)
    expect(await push()).toEqual({ settled: 1, failed: 1 })
    expect(vendor.issues.map(({ state }) => state)).toEqual(['open', 'closed'])
    const link = await deps.meta.trackers.externalById(id)
    expect(link).toMatchObject({ attempts: 1, error: expect.stringMatching(/./), nextMs: deps.clock.now() + 10_000 })
    deps.clock.advance(10_000)
    expect(await push()).toEqual({ settled: 1, failed: 0 })
    // A person gets the same as an answer of the form, not an error of the server.
    const refusal = ['VALIDATION', ['tracker']]
    vendor.fail.push(answer, answer)
    expect(await endOf(() => testTracker(deps, integration))).toEqual(refusal)
    expect(await endOf(async () => createExternalIssue(deps, integration, await issue(), deps.ann, {}))).toEqual(
      refusal,
    )
  })

  test('a mistake of ours with one link is logged, and the others go on', async () => {
    const { deps, vendor, integration, issue } = await connected()
    const { id } = await createExternalIssue(deps, integration, await issue(1), deps.ann, {})
    await createExternalIssue(deps, integration, await issue(2), deps.ann, {})
    for (const at of [1, 2]) await deps.meta.issues.updateIssue(at, resolved, 'ann', deps.clock.now())
    const { trackers } = deps.meta
    const notePush: typeof trackers.notePush = async (link, ...words) => {
      if (link === id) throw new TypeError('x is not a function')
      return trackers.notePush(link, ...words)
    }
    const logged: unknown[] = []
    const observe = { ...silent, error: (facts: unknown) => void logged.push(facts) }
    const meta = { ...deps.meta, trackers: { ...trackers, notePush } }
    expect(await pushDue(trackerDeps({ ...deps, meta, observe }))).toEqual({ settled: 1, failed: 1 })
    expect(vendor.issues.map(({ state }) => state)).toEqual(['open', 'closed'])
    expect(logged).toEqual([{ link: id, error: expect.stringContaining('TypeError') }])
    expect(await trackers.externalById(id)).toMatchObject({ attempts: 1, nextMs: deps.clock.now() + 10_000 })
  })

  test('a change that is made while its push runs is sent by the next one', async () => {
    const { deps, vendor, integration, issue } = await connected()
    const change = (id: number, to: typeof resolved | typeof reopened) =>
      deps.meta.issues.updateIssue(id, to, 'ann', deps.clock.now())
    /** Pushes, and makes a change after the first call that sets a state was answered. */
    const pushWith = (meanwhile: () => Promise<unknown> = async () => undefined) => {
      let isMade = false
      const slow: typeof outgoing = {
        send: async (request) => {
          const answer = await outgoing.send(request)
          if (request.method === 'PATCH' && !isMade) {
            isMade = true
            await meanwhile()
          }
          return answer
        },
      }
      return pushDue(trackerDeps({ ...deps, outgoing: slow }))
    }
    const states = () => vendor.issues.map(({ state }) => state)
    await createExternalIssue(deps, integration, await issue(1), deps.ann, {})
    await createExternalIssue(deps, integration, await issue(2), deps.ann, {})
    await change(1, resolved)
    await pushWith(() => change(1, reopened))
    expect(states()).toEqual(['closed', 'open'])
    await pushWith()
    expect(states()).toEqual(['open', 'open'])
    // The other way round.
    await change(1, resolved)
    await pushWith()
    await change(1, reopened)
    await pushWith(() => change(1, resolved))
    await pushWith()
    expect(states()).toEqual(['closed', 'open'])
    // Issue 2 is reopened after the list was read, and before its call: there is nothing to send.
    await change(1, reopened)
    await change(2, resolved)
    const calls = vendor.calls.length
    await pushWith(() => change(2, reopened))
    expect(states()).toEqual(['open', 'open'])
    expect(vendor.calls.slice(calls).map(({ path }) => path)).toEqual(['/repos/acme/web/issues/1'])
    expect(await pushWith()).toEqual({ settled: 0, failed: 0 })
  })

  test('an issue that is archived before its call is not sent', async () => {
    const { deps, vendor, integration, issue } = await connected()
    await createExternalIssue(deps, integration, await issue(), deps.ann, {})
    await deps.meta.issues.updateIssue(1, resolved, 'ann', deps.clock.now())
    const { trackers } = deps.meta
    const linksDueBy: typeof trackers.linksDueBy = async (...words) => {
      const due = await trackers.linksDueBy(...words)
      await deps.meta.issues.updateIssue(1, { status: 'ignored', statusDetails: {} }, 'ann', deps.clock.now())
      return due
    }
    const meta = { ...deps.meta, trackers: { ...trackers, linksDueBy } }
    expect(await pushDue(trackerDeps({ ...deps, meta }))).toEqual({ settled: 0, failed: 0 })
    expect(vendor.issues[0]?.state).toBe('open')
  })

  test('two issues of one tracker issue: one that is reopened while the other one is sent opens it again', async () => {
    const { deps, vendor, integration, issue, push } = await connected()
    await createExternalIssue(deps, integration, await issue(1), deps.ann, {})
    await linkExternalIssue(deps, integration, await issue(2), deps.ann, '#1')
    for (const id of [1, 2]) await deps.meta.issues.updateIssue(id, resolved, 'ann', deps.clock.now())
    await push()
    expect(vendor.issues[0]?.state).toBe('closed')
    await deps.meta.issues.updateIssue(1, reopened, 'ann', deps.clock.now())
    const both: typeof outgoing = {
      send: async (request) => {
        if (request.method === 'PATCH') await deps.meta.issues.updateIssue(2, reopened, 'ann', deps.clock.now())
        return outgoing.send(request)
      },
    }
    await pushDue(trackerDeps({ ...deps, outgoing: both }))
    await deps.meta.issues.updateIssue(1, resolved, 'ann', deps.clock.now())
    await push()
    // The second issue is still open.
    expect(vendor.issues[0]?.state).toBe('open')
    await deps.meta.issues.updateIssue(2, resolved, 'ann', deps.clock.now())
    await push()
    expect(vendor.issues[0]?.state).toBe('closed')
    expect(await push()).toEqual({ settled: 0, failed: 0 })
  })

  test('comments go in order, quoted, with their author; those of trackers do not go back', async () => {
    const { deps, vendor, integration, issue, push } = await connected()
    await createExternalIssue(deps, integration, await issue(), deps.ann, {})
    const note = (text: string, userId: string | null = 'ann') =>
      deps.meta.issues.addComment(
        1,
        userId,
        text,
        deps.clock.now(),
        [],
        userId === null ? { tracker: 'acme/web#1' } : {},
      )
    await note('first @octocat')
    await note('from there', null)
    await note('/close')
    vendor.fail.push({ status: 500, body: { message: 'oops' } })
    expect(await push()).toEqual({ settled: 0, failed: 1 })
    expect(vendor.issues[0]?.comments).toEqual([])
    deps.clock.advance(10_000)
    expect(await push()).toEqual({ settled: 3, failed: 0 })
    expect(vendor.issues[0]?.comments).toEqual(['In Mishap: \n\n> first @\u200boctocat', 'In Mishap: \n\n> /close'])
    expect(await push()).toEqual({ settled: 0, failed: 0 })
  })
})
