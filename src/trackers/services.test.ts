import { beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { createOutgoing } from '../base/outgoing.ts'
import { type TrackerKind, trackerKinds } from '../domain/alerts/trackers.ts'
import { trackerWith } from './connection.ts'
import { type Tracker, TrackerFailure } from './tracker.ts'
import { goodToken, startVendor, targets, unauthorized, type Vendor } from './vendors.cases.ts'

const outgoing = createOutgoing({ clock: systemClock, allowedNetworks: ['127.0.0.0/8'] })
const emails: Record<TrackerKind, string> = { github: '', gitlab: '', jira: 'jay@acme.test', linear: '' }

const trackerAt = (kind: TrackerKind, url: string, token = goodToken, target = targets[kind]): Tracker =>
  trackerWith({ outgoing, clock: systemClock }, { kind, url, target, email: emails[kind] }, token)

/** What a call ends with: its result, or kind and words of the failure. */
async function endOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work
  } catch (error) {
    const { kind, code, message } = error as { kind?: string; code?: string; message: string }
    return [kind ?? code, message]
  }
}

describe.each(trackerKinds)('%s', (kind) => {
  const here: { vendor?: Vendor; tracker?: Tracker } = {}
  beforeEach(async () => {
    here.vendor = await startVendor(kind)
    here.tracker = trackerAt(kind, here.vendor.url)
  })
  const parts = () => {
    if (!here.vendor || !here.tracker) throw new Error('no service')
    return { vendor: here.vendor, tracker: here.tracker }
  }

  test('says who the token belongs to', async () => {
    const accounts = { github: 'octo', gitlab: 'tanuki', jira: 'Jay', linear: 'Lin' }
    expect(await parts().tracker.check()).toEqual({ account: accounts[kind], accountId: '7' })
  })

  test('creates an issue, reads it by key, closes and reopens it', async () => {
    const { vendor, tracker } = parts()
    const created = await tracker.create({ title: 'It broke', body: 'a\nb' })
    const key = kind === 'github' || kind === 'gitlab' ? 'acme/web#1' : 'WEB-1'
    expect(created).toMatchObject({ key, title: 'It broke', state: 'open' })
    expect(created.url.startsWith(vendor.url)).toBe(true)
    expect(vendor.issues).toMatchObject([{ title: 'It broke', body: 'a\nb', state: 'open' }])
    expect(await tracker.issue(tracker.idOf(key) ?? '')).toEqual(created)
    expect(tracker.idOf(created.url)).toBe(kind === 'github' || kind === 'gitlab' ? '1' : 'WEB-1')
    await tracker.setState(created.externalId, 'closed')
    expect(vendor.issues[0]?.state).toBe('closed')
    expect((await tracker.issue(created.externalId)).state).toBe('closed')
    // A second call for the same state changes nothing.
    await tracker.setState(created.externalId, 'closed')
    await tracker.setState(created.externalId, 'open')
    expect((await tracker.issue(created.externalId)).state).toBe('open')
  })

  test('adds a comment and returns its id', async () => {
    const { vendor, tracker } = parts()
    const { externalId } = await tracker.create({ title: 'x', body: 'y' })
    expect(await tracker.comment(externalId, 'Hello')).toBe(kind === 'linear' ? 'c-1' : '501')
    expect(vendor.issues[0]?.comments).toEqual(['Hello'])
  })

  test('a refused token has the words of the service', async () => {
    const { vendor } = parts()
    const end = await endOf(trackerAt(kind, vendor.url, 'wrong-token-99').check())
    const words = {
      github: 'Bad credentials',
      gitlab: '401 Unauthorized',
      jira: 'Client must be',
      linear: 'Authentication',
    }
    expect(end).toEqual(['token', expect.stringContaining(words[kind])])
    expect(JSON.stringify(end)).not.toContain('wrong-token-99')
    expect(unauthorized[kind].status).toBeGreaterThanOrEqual(400)
  })

  test('an unknown issue is missing', async () => {
    const id = { github: '99', gitlab: '99', jira: 'WEB-99', linear: 'WEB-99' }[kind]
    expect(await endOf(parts().tracker.issue(id))).toEqual(['missing', expect.any(String)])
  })

  test('a rate limit says how long to wait', async () => {
    const { vendor, tracker } = parts()
    const { externalId } = await tracker.create({ title: 'x', body: 'y' })
    vendor.fail.push({ status: 429, body: { message: 'slow down' }, headers: { 'retry-after': '17' } })
    const failure = await tracker.comment(externalId, 'x').catch((error: unknown) => error)
    expect(failure).toMatchObject({
      kind: 'limited',
      retryAfterMs: 17_000,
      message: expect.stringContaining('slow down'),
    })
  })

  test('a server error is a refusal with its words, a login page is no answer', async () => {
    const { vendor, tracker } = parts()
    vendor.fail.push({ status: 500, body: { message: 'oops' } })
    expect(await endOf(tracker.check())).toEqual(['refused', '500: oops'])
    vendor.fail.push({ status: 502, body: '<html>bad gateway</html>', headers: { 'content-type': 'text/html' } })
    expect(await endOf(tracker.check())).toEqual(['refused', expect.stringMatching(/^502/)])
  })

  // Each of these is an answer of 200 that does nothing: a login page, a proxy, an API of something else.
  const useless: [string, unknown, string][] = [
    ['a page', '<html>Sign in</html>', 'text/html'],
    ['a page that calls itself JSON', '<html>Sign in</html>', 'application/json'],
    ['half a body', '{"id":', 'application/json'],
    ['an empty body', '', 'application/json'],
    ['an empty object', {}, 'application/json'],
    ['a list', [], 'application/json'],
    ['null', 'null', 'application/json'],
    ['a text', '"ok"', 'application/json'],
    ['fields of other types', { number: true, iid: {}, id: [], login: null, data: 7 }, 'application/json'],
  ]
  test.each(useless)('%s is no success of any call', async (_says, body, type) => {
    const { vendor, tracker } = parts()
    const { externalId } = await tracker.create({ title: 'x', body: 'y' })
    const calls: (() => Promise<unknown>)[] = [
      () => tracker.check(),
      () => tracker.create({ title: 'x', body: 'y' }),
      () => tracker.issue(externalId),
      () => tracker.setState(externalId, 'closed'),
      () => tracker.setState(externalId, 'open'),
      () => tracker.comment(externalId, 'Hello'),
    ]
    for (const work of calls) {
      vendor.fail.push({ status: 200, body, headers: { 'content-type': type } })
      const failure = await work().catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(TrackerFailure)
    }
    expect(vendor.fail).toEqual([])
    expect(vendor.issues).toMatchObject([{ state: 'open', comments: [] }])
  })

  test.each([301, 307, 308])('a write that is redirected with %i is a refusal that says what to do', async (status) => {
    const { vendor, tracker } = parts()
    const { externalId } = await tracker.create({ title: 'x', body: 'y' })
    const headers = { location: `${vendor.url}/repositories/7/issues` }
    const moved = { status, body: { message: 'Moved Permanently' }, headers }
    vendor.fail.push(moved)
    expect(await endOf(tracker.comment(externalId, 'Hello'))).toEqual([
      'refused',
      `${status}: Moved Permanently · The repository or project has moved. Connect its new name.`,
    ])
    expect(vendor.issues[0]?.comments).toEqual([])
  })

  test.each([600, 777, 999])('the status %i is a failure of the service', async (status) => {
    const { vendor, tracker } = parts()
    vendor.fail.push({ status, body: {} })
    expect(await endOf(tracker.check())).toEqual(['refused', `${status}: this is not a status of HTTP`])
  })

  test('the guarded client refuses private addresses and keeps them', async () => {
    const guarded = createOutgoing({ clock: systemClock, allowedNetworks: [] })
    const { vendor } = parts()
    const described = { kind, url: vendor.url, target: targets[kind], email: emails[kind] }
    const tracker = trackerWith({ outgoing: guarded, clock: systemClock }, described, goodToken)
    expect(await endOf(tracker.check())).toEqual(['OUTGOING_REFUSED', expect.stringContaining('private')])
    expect(vendor.calls).toEqual([])
  })

  test('a redirect to another origin does not get the token', async () => {
    const { vendor, tracker } = parts()
    const other = await startVendor(kind)
    vendor.fail.push({ status: 302, body: {}, headers: { location: `${other.url}/user` } })
    // Linear is asked with POST, whose redirect is an answer.
    expect(await endOf(tracker.check())).toEqual([
      kind === 'linear' ? 'refused' : 'OUTGOING_REFUSED',
      expect.any(String),
    ])
    expect(other.calls).toEqual([])
  })
})

test('GitHub tells a secondary limit by its reset time, and a plain 403 is a refusal', async () => {
  const vendor = await startVendor('github')
  const tracker = trackerAt('github', vendor.url)
  const reset = String(Math.floor(systemClock.now() / 1000) + 60)
  vendor.fail.push({
    status: 403,
    body: { message: 'rate' },
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset },
  })
  const limited = await tracker.check().catch((error: unknown) => error)
  expect(limited).toMatchObject({ kind: 'limited' })
  expect((limited as { retryAfterMs: number }).retryAfterMs).toBeLessThanOrEqual(60_000)
  vendor.fail.push({ status: 403, body: { message: 'Resource not accessible by personal access token' } })
  expect(await endOf(tracker.check())).toEqual(['refused', expect.stringContaining('not accessible')])
  vendor.fail.push({ status: 429, body: {}, headers: { 'retry-after': '999999' } })
  expect(await tracker.check().catch((error: unknown) => error)).toMatchObject({ retryAfterMs: 6 * 3_600_000 })
})

test.each([
  ['github', [{ login: 'octo', id: 7 }, { full_name: 'acme/site' }]],
  [
    'gitlab',
    [
      { username: 'tanuki', id: 7 },
      { id: 3, path_with_namespace: 'acme/site' },
    ],
  ],
] as const)('%s says that the place was renamed: only reads are led to the new name', async (kind, bodies) => {
  const vendor = await startVendor(kind)
  vendor.fail.push(...bodies.map((body) => ({ status: 200, body })))
  expect(await endOf(trackerAt(kind, vendor.url).check())).toEqual([
    'refused',
    'acme/web has moved and is now acme/site. Connect its new name.',
  ])
})

test('GitHub is asked as its documentation says', async () => {
  const vendor = await startVendor('github')
  await trackerAt('github', vendor.url).create({ title: 'T', body: 'B' })
  expect(vendor.calls[0]).toMatchObject({
    method: 'POST',
    path: '/repos/acme/web/issues',
    body: { title: 'T', body: 'B' },
    headers: { authorization: `Bearer ${goodToken}`, 'x-github-api-version': '2022-11-28', 'user-agent': 'Mishap' },
  })
})

test.each(['jira', 'linear'] as const)('%s says when no state of the workflow closes', async (kind) => {
  const vendor = await startVendor(kind)
  const tracker = trackerAt(kind, vendor.url)
  const { externalId } = await tracker.create({ title: 'x', body: 'y' })
  vendor.canClose = false
  expect(await endOf(tracker.setState(externalId, 'closed'))).toEqual(['refused', expect.stringMatching(/workflow/)])
})

test('Jira needs an issue type, Linear its team; a server of Jira gets a bearer token', async () => {
  const jira = await startVendor('jira')
  jira.fail.push(
    { status: 200, body: { accountId: '7' } },
    { status: 200, body: { issueTypes: [{ id: '1', subtask: true }] } },
  )
  expect(await endOf(trackerAt('jira', jira.url).check())).toEqual(['refused', 'The project has no issue type.'])
  const linear = await startVendor('linear')
  expect(await endOf(trackerAt('linear', linear.url, goodToken, 'OPS').check())).toEqual([
    'missing',
    'Linear has no team with the key OPS.',
  ])
  const described = { kind: 'jira' as const, url: jira.url, target: 'WEB', email: '' }
  await trackerWith({ outgoing, clock: systemClock }, described, goodToken)
    .check()
    .catch(() => undefined)
  expect(jira.calls.at(-1)?.headers.authorization).toBe(`Bearer ${goodToken}`)
})

test('Linear’s limit comes as an error code', async () => {
  const vendor = await startVendor('linear')
  vendor.fail.push({
    status: 400,
    body: { errors: [{ message: 'Rate limit exceeded', extensions: { code: 'RATELIMITED' } }] },
  })
  expect(await endOf(trackerAt('linear', vendor.url).check())).toEqual(['limited', '200: Rate limit exceeded'])
})

test.each<[kind: TrackerKind, name: string, id: string | undefined]>([
  ['github', '#12', '12'],
  ['github', '12', '12'],
  ['github', ' acme/web#12 ', '12'],
  ['github', 'https://github.com/acme/web/issues/12', '12'],
  ['github', 'https://github.com/Acme/Web/issues/12#issuecomment-1', '12'],
  ['github', 'https://github.com/acme/other/issues/12', undefined],
  ['github', 'other/web#12', undefined],
  ['github', 'acme/web/pull/12', undefined],
  ['github', '../12', undefined],
  ['gitlab', '#12', '12'],
  ['gitlab', 'acme/web#12', '12'],
  ['gitlab', 'https://gitlab.com/acme/web/-/issues/12', '12'],
  ['gitlab', 'https://gitlab.com/acme/web/-/work_items/12', '12'],
  ['gitlab', 'https://git.example.com/gitlab/acme/web/-/issues/12', '12'],
  ['gitlab', 'https://gitlab.com/acme/other/-/issues/12', undefined],
  ['jira', 'web-12', 'WEB-12'],
  ['jira', 'https://acme.atlassian.net/browse/WEB-12?focusedId=1', 'WEB-12'],
  ['jira', 'WEB', undefined],
  ['jira', 'WEB-12/../../x', undefined],
  ['linear', 'WEB-12', 'WEB-12'],
  ['linear', 'https://linear.app/acme/issue/WEB-12/it-broke', 'WEB-12'],
  ['linear', 'https://linear.app/acme/issue/', undefined],
])('%s finds %j', (kind, name, id) => {
  expect(trackerAt(kind, 'http://127.0.0.1:9').idOf(name)).toBe(id)
})
