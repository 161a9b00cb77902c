import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { createChannel } from '../operations/channels.ts'
import { hookLimits } from '../operations/hook-calls.ts'
import { runSlackClicks } from '../operations/slack-clicks.ts'
import { createRoutes } from './api.ts'
import { appForFile } from './app.cases.ts'
import { seedEvents } from './seed.cases.ts'
import { isSignedBySlack } from './slack.ts'
import { actOnClick } from './slack-clicks.ts'

const { made } = appForFile()
const signing = '8f742231b10e8888abcd99yyyzzz85a5'.replace(/[^0-9a-f]/g, '0')
const owner = 'U0OWNER'
let issueId = 0

beforeAll(async () => {
  const { store, call } = made()
  await store(seedEvents)
  issueId = Number(((await call('GET', '/organizations/acme/issues/')).json as { id: string }[])[0]?.id)
  await connect('Ops', { token: 'xoxb-1234567890-abc', signing, people: `${owner} owner@example.test` })
})

/** Connects a Slack app as an owner. */
async function connect(name: string, config: Record<string, string>) {
  const { app, organization } = made()
  const text = { kind: 'slack_app' as const, name, target: 'C012AB3CD', config, project: null }
  return (await createChannel(app, organization.id, text, { mayManageMembers: true })).channel
}

const sign = (body: string, timestampS: number, secret = signing) =>
  `v0=${createHmac('sha256', secret).update(`v0:${timestampS}:${body}`).digest('hex')}`

type Click = {
  verb: string
  times?: number
  ts?: string
  user?: string
  value?: string
  ageS?: number
  secret?: string
  slug?: string
}

const waiting = () => made().app.meta.alerts.slackClicksDue(Number.MAX_SAFE_INTEGER, 9)

/** Each click has a time of its own. */
let clicks = 0

/** Clicks a button as Slack sends it, and returns the answer and the sentence for the person. */
async function click({
  verb,
  user = owner,
  value = String(issueId),
  ageS = 0,
  secret = signing,
  slug = 'acme',
  times = 1,
  ts = `${++clicks}.5`,
}: Click) {
  const { app, sent } = made()
  const payload = {
    type: 'block_actions',
    user: { id: user, username: 'ann', team_id: 'T9TK3CUKW' },
    response_url: 'https://hooks.slack.com/actions/T9TK3CUKW/1/x',
    actions: [{ type: 'button', block_id: `issue-${value}`, action_id: verb, value, action_ts: ts }],
  }
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
  const timestampS = Math.floor(app.clock.now() / 1000) - ageS
  sent.posts.length = 0
  const post = () =>
    createRoutes(app).fetch(
      new Request(`http://mishap.test/api/0/hooks/slack/${slug}/`, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'x-slack-request-timestamp': String(timestampS),
          'x-slack-signature': sign(body, timestampS, secret),
        },
      }),
    )
  const answer = await post()
  for (let at = 1; at < times; at++) await post()
  // The route answers at once and acts beside it.
  for (let look = 0; look < 400 && (await waiting()).some(({ attempts }) => attempts === 0); look++)
    await new Promise((resolve) => setTimeout(resolve, 5))
  const said = sent.posts.find(({ url }) => url.startsWith('https://hooks.slack.com/'))?.body as { text?: string }
  return { status: answer.status, said: said?.text }
}

const ownerOf = async () => {
  const person = await made().app.auth.personByEmail('owner@example.test')
  if (!person) throw new Error('There is no owner.')
  return person
}
const issue = async () => made().app.meta.issues.issueById(issueId)

describe('a button in Slack', () => {
  test('acts as the member with the address, and says so', async () => {
    expect(await click({ verb: 'assign' })).toEqual({
      status: 200,
      said: expect.stringMatching(/is assigned to you\.$/),
    })
    expect((await issue())?.assigneeUserId).toBe((await ownerOf()).id)
    expect(await click({ verb: 'archive' })).toMatchObject({
      status: 200,
      said: expect.stringMatching(/is archived\.$/),
    })
    expect((await issue())?.status).toBe('ignored')
    expect(await click({ verb: 'resolve' })).toMatchObject({
      status: 200,
      said: expect.stringMatching(/is resolved\.$/),
    })
    expect((await issue())?.status).toBe('resolved')
  })

  test.each<[string, Click, string | undefined]>([
    [
      'a stranger is told why not',
      { verb: 'resolve', user: 'U0STRANGER' },
      'Slack does not tell your e-mail address. The app needs the scope users:read.email.',
    ],
    ['an issue that is gone', { verb: 'resolve', value: '999999' }, 'This issue no longer exists.'],
    ['a value that is no issue', { verb: 'resolve', value: '1 or 1' }, 'This issue no longer exists.'],
    ['the click on a link does nothing', { verb: 'open' }, undefined],
  ])('%s', async (_says, made_, said) => {
    const before = await issue()
    expect(await click(made_)).toEqual({ status: 200, said })
    expect(await issue()).toEqual(before)
  })

  test.each<[string, Click]>([
    ['another secret', { verb: 'archive', secret: '0'.repeat(32) }],
    ['an old call', { verb: 'archive', ageS: 301 }],
    ['a call from the future', { verb: 'archive', ageS: -302 }],
    ['an unknown organization', { verb: 'archive', slug: 'nobody' }],
  ])('%s is refused with 401 and changes nothing', async (_says, forged) => {
    const before = await issue()
    expect(await click(forged)).toEqual({ status: 401, said: undefined })
    expect(await issue()).toEqual(before)
  })

  test('a viewer may not change the issue', async () => {
    const { app, organization } = made()
    const person = await ownerOf()
    await app.meta.organizations.setMember(organization.id, person.id, 'viewer')
    expect((await click({ verb: 'archive' })).said).toBe('Your role may not change this issue.')
    await app.meta.organizations.setMember(organization.id, person.id, 'owner')
  })
})

test('too many refused calls of an address get 429, and calls without a signature delay no signed ones', async () => {
  const { app } = made()
  const post = async (headers: Record<string, string>) => {
    const url = 'http://mishap.test/api/0/hooks/slack/acme/'
    const from = { 'x-forwarded-for': '192.0.2.7', 'x-slack-request-timestamp': '1', ...headers }
    const body = new URLSearchParams({ payload: '{}' })
    const request = new Request(url, { method: 'POST', body, headers: from })
    const answer = await createRoutes(app).fetch(request)
    return [answer.status, ((await answer.json()) as { code: string }).code, request.bodyUsed]
  }
  const signed = { 'x-slack-signature': 'v0=0' }
  for (let calls = 0; calls < hookLimits.freeFailures; calls++)
    expect(await post({})).toEqual([401, 'AUTH_REQUIRED', false])
  expect(await post({})).toEqual([429, 'HOOK_LIMITED', false])
  for (let calls = 0; calls < hookLimits.freeFailures; calls++)
    expect(await post(signed)).toEqual([401, 'AUTH_REQUIRED', true])
  expect(await post(signed)).toEqual([429, 'HOOK_LIMITED', false])
})

describe('a click', () => {
  const activities = async () => (await made().app.meta.issues.activityOf(issueId)).length

  test('that arrives twice acts once', async () => {
    const before = await activities()
    expect((await click({ verb: 'archive', times: 3 })).said).toMatch(/is archived\.$/)
    expect(made().sent.posts.filter(({ url }) => url.startsWith('https://hooks.slack.com/'))).toHaveLength(1)
    expect(await activities()).toBe(before + 1)
    await made().app.meta.issues.updateIssue(issueId, { status: 'unresolved', substatus: 'ongoing' }, null, 1)
  })

  test('that a kill left is done by the job: stored, acted on, or only without its answer', async () => {
    const { app, sent, organization } = made()
    const { alerts } = app.meta
    const channels = (await alerts.channelsOf(organization.id)).map(({ id }) => id)
    const payload = {
      type: 'block_actions',
      user: { id: owner },
      response_url: 'https://hooks.slack.com/actions/T9TK3CUKW/1/x',
      actions: [{ action_id: 'resolve', value: String(issueId) }],
    }
    const store = (name: string) =>
      alerts.addSlackClick(
        {
          organizationId: organization.id,
          click: name,
          sealed: app.seal.seal(JSON.stringify({ ...payload, channels })),
        },
        app.clock.now(),
      )
    sent.posts.length = 0
    await store('stored')
    await runSlackClicks(app, actOnClick(app))
    expect((await issue())?.status).toBe('resolved')
    const done = await activities()
    await store('acted on')
    const [due] = await alerts.slackClicksDue(app.clock.now(), 9)
    await alerts.noteSlackClick(due?.id ?? 0, 'It was done.')
    await runSlackClicks(app, actOnClick(app))
    expect(await activities()).toBe(done)
    const texts = sent.posts.map(({ body }) => (body as { text?: string }).text)
    expect(texts).toEqual([expect.stringMatching(/is resolved\.$/), 'It was done.'])
    expect(await alerts.slackClicksDue(Number.MAX_SAFE_INTEGER, 9)).toEqual([])
  })

  test('whose answer Slack does not take is not lost, and ends after the last attempt', async () => {
    const { app } = made()
    const { answerSlack } = app.alerts
    let asked = 0
    app.alerts.answerSlack = async () => ++asked < 0
    try {
      await click({ verb: 'archive' })
      const [left] = await waiting()
      expect([asked, left?.attempts, left?.sentence]).toEqual([1, 1, expect.stringMatching(/is archived\.$/)])
      for (let at = 0; at < 9; at++) {
        await app.meta.alerts.endSlackClick(left?.id ?? 0, { nextMs: 0 })
        await runSlackClicks(app, actOnClick(app))
      }
      expect([asked <= 4, await app.meta.alerts.slackClicksDue(Number.MAX_SAFE_INTEGER, 9)]).toEqual([true, []])
    } finally {
      app.alerts.answerSlack = answerSlack
    }
  })
})

describe('of several Slack apps, only the one that signed a click counts', () => {
  const other = 'a'.repeat(32)
  const stranger = 'Slack does not tell your e-mail address. The app needs the scope users:read.email.'
  const isResolved = expect.stringMatching(/is resolved\.$/)
  const tokens: string[] = []

  beforeAll(async () => {
    const { app } = made()
    await connect('Two', { token: 'xoxb-2222222222-two', signing: other })
    // The same app in another workspace.
    await connect('Three', { token: 'xoxb-3333333333-three', signing: other, people: 'U0SAME owner@example.test' })
    const off = await connect('Off', { token: 'xoxb-4444444444-off', signing: 'b'.repeat(32) })
    await app.meta.alerts.updateChannel(off.id, { active: false })
    app.alerts.slackPeople = async (token, user) => {
      tokens.push(token)
      return token.endsWith(user.slice(2).toLowerCase()) ? 'owner@example.test' : undefined
    }
  })

  test.each<[string, Partial<Click>, number, unknown, string[]]>([
    ['a user of its workspace', { secret: other, user: 'U0TWO' }, 200, isResolved, ['two']],
    ['a user of its other workspace', { secret: other, user: 'U0THREE' }, 200, isResolved, ['two', 'three']],
    ['its own mapping', { secret: other, user: 'U0SAME' }, 200, isResolved, []],
    ['not the mapping of another app', { secret: other, user: owner }, 200, stranger, ['two', 'three']],
    ['not the token of another app', { secret: signing, user: 'U0TWO' }, 200, stranger, ['abc']],
    ['not an app that is switched off', { secret: 'b'.repeat(32), user: owner }, 401, undefined, []],
  ])('%s', async (_says, by, status, said, asked) => {
    tokens.length = 0
    await made().app.meta.issues.updateIssue(issueId, { status: 'unresolved', substatus: 'ongoing' }, null, 1)
    expect(await click({ verb: 'resolve', ...by })).toEqual({ status, said })
    expect((await issue())?.status).toBe(said === isResolved ? 'resolved' : 'unresolved')
    expect(tokens.map((token) => token.split('-').at(-1))).toEqual(asked)
  })

  test('an app that is switched off after the click acts no more', async () => {
    const { app, organization } = made()
    const channels = (await app.meta.alerts.channelsOf(organization.id)).filter(({ name }) => name === 'Off')
    const signed = { type: 'block_actions' as const, user: { id: owner }, channels: channels.map(({ id }) => id) }
    const actions = [{ action_id: 'archive', value: String(issueId) }]
    expect(await actOnClick(app)(organization.id, { ...signed, actions })).toBe(
      'The Slack app of this message is switched off or no longer connected.',
    )
  })
})

test('the signature of Slack’s own example is accepted, and any change of it is not', () => {
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  const example = {
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    timestamp: '1531420618',
    signature: 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    nowMs: 1_531_420_618_000,
  }
  const secret = '8f742231b10e8888abcd99yyyzzz85a5'
  expect(isSignedBySlack(secret, example)).toBe(true)
  for (const change of [
    { body: `${example.body}x` },
    { timestamp: '1531420619' },
    { signature: 'v0=' },
    { timestamp: 'soon' },
    { nowMs: example.nowMs + 300_001 },
  ])
    expect(isSignedBySlack(secret, { ...example, ...change })).toBe(false)
})
