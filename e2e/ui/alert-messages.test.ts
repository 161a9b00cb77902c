import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { acknowledgeLink } from '../../src/alert/acknowledge.ts'
import { unsubscribeLink } from '../../src/alert/personal.ts'
import { decrypted, subscriber } from '../../src/alert/send/push.cases.ts'
import { createSeal } from '../../src/auth/seal.ts'
import type { RestAlertRule } from '../../src/contract/alerts/alerts.ts'
import type { RestIncident, RestIncidentDetails } from '../../src/contract/alerts/incidents.ts'
import { hydrated, noChromium, openBrowser, openPage, signIn } from '../browser.ts'
import { linkIn, openMailServer, type Received } from '../mail.ts'
import {
  api,
  bootstrap,
  discard,
  envelopeOf,
  errorEvent,
  freePort,
  ingest,
  type Product,
  type Project,
  ready,
  root,
  start,
  until,
} from '../product.ts'
import { type Call, mailParts, noReceivers, openReceivers } from '../receivers.ts'

const org = 'heard'
const owner = `owner@${org}.test`
const slackToken = 'xoxb-1234567890-abcdef'
const signing = '8f742231b10e8888abcd990000000000'
const minuteMs = 60_000
/** `FLOOD_ISSUES=10000` for a long run: the flood of a minute. */
const floodIssues = Number(process.env.FLOOD_ISSUES ?? 300)
const floodWaitMs = 25_000 + floodIssues * 20

/** The official SDK sends the same error so many times. */
const program = `
import * as Sentry from '@sentry/node'
Sentry.init({ dsn: process.env.DSN, release: 'shop@2.0.0', environment: 'production', serverName: 'web-1' })
function checkout(text) {
  Sentry.captureException(Object.assign(new Error(text), { name: 'PoolError' }))
}
// The SDK drops an error that equals the one before.
for (let n = 0; n < Number(process.env.TIMES); n++) checkout(n % 2 ? 'pool timeout again' : 'pool timeout')
await Sentry.flush(5000)
`

function runSdk(dsn: string, times: number): Promise<number | null> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    env: { ...process.env, DSN: dsn, TIMES: String(times) },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve) => child.once('exit', resolve))
}

const json = (call: Call | undefined) => JSON.parse(String(call?.body ?? '{}'))
const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')
const words = (number: number) => [...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('')

/** Titles that attack mails, chats, notifications and spreadsheets at once. */
const hostile = [
  '<script>alert(1)</script><img src=x onerror=alert(1)>"><a href="https://evil.test">sign in</a>',
  '<https://evil.test|sign in> <!here> <!channel> <!everyone> <@U012AB3CD> <!subteam^S012AB3CD>',
  '@everyone @here @channel [sign in](https://evil.test) ![x](https://evil.test/x.png) *b*',
  'x\r\nBcc: victim@evil.test\r\nContent-Type: text/html\r\n\r\n<b>body</b> =?utf-8?B?DQpCY2M6IHg=?=',
  '=HYPERLINK("https://evil.test","x") invoice\u202egnp.exe \u2066left\u2069 a\u200bb @\u200beveryone <\u200b!here>',
  '"},{"type":"button","url":"https://evil.test"}]\\ javascript:alert(1) {{7*7}} %s',
]

// The mail server and the clock belong to the whole installation, so this file starts its own product.
describe.skipIf(noChromium ?? noReceivers)('messages of alert rules', () => {
  const mails: Received[] = []
  const state = {} as {
    folder: string
    product: Product
    web: Project
    attacked: Project
    flooded: Project
    browser: Browser
    phone: Page
    mail: { port: number; close(): void }
    receivers: Awaited<ReturnType<typeof openReceivers>>
    browserKeys: ReturnType<typeof subscriber>
    secrets: Record<string, string>
    channels: Record<string, string>
    aheadMs: number
    issue: { id: string; shortId: string; title: string; culprit: string }
  }
  const read = async <T>(path: string): Promise<T> =>
    (await api(state.product, state.web, `/organizations/${org}/${path}`)).json as T
  const write = async <T>(path: string, value: unknown, method = 'POST'): Promise<T> => {
    const answer = await api(state.product, state.web, path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(value),
    })
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return answer.json as T
  }
  const setForward = (ms: number) => {
    state.aheadMs += ms
    writeFileSync(join(state.folder, 'clock'), String(state.aheadMs))
  }
  const now = () => Date.now() + state.aheadMs
  const channel = async (name: string, kind: string, more: object) => {
    const made = await write<{ channel: { id: string }; secret: string | null }>(
      `/organizations/${org}/notification-channels/`,
      { kind, name, subscription: 'rules', ...more },
    )
    state.channels[name] = made.channel.id
    state.secrets[name] = made.secret ?? ''
  }
  const to = (...names: string[]) => names.map((name) => ({ type: 'channel', channel: state.channels[name] }))
  const addRule = (name: string, more: object) =>
    write<RestAlertRule>(`/organizations/${org}/alerts/`, { name, intervalMinutes: 5, ...more })
  const pushes = () => state.receivers.calls.push.map(({ body }) => JSON.parse(decrypted(body, state.browserKeys)))
  const incidentOf = async (issueId: string) => {
    const [found] = await read<RestIncident[]>(`incidents/?issue=${issueId}`)
    return read<RestIncidentDetails>(`incidents/${found?.id}/`)
  }
  const issueLink = () => `${state.product.url}/o/${org}/issues/${state.issue.id}`

  async function createChannels(person: string) {
    const { receivers, web } = state
    const target = (name: string) => receivers.hookUrl(name)
    const people = `U0OWNER ${owner}`
    await channel('slack', 'slack_app', { target: 'C012AB3CD', config: { token: slackToken, signing, people } })
    await channel('push', 'push', {})
    await channel('hook', 'webhook', { target: target('hook') })
    await channel('sentry', 'webhook', { target: target('sentry'), config: { format: 'event_alert' } })
    for (const name of ['metric', 'flood']) await channel(name, 'webhook', { target: target(name) })
    await channel('builtin', 'webhook', { target: target('builtin'), subscription: 'issues', project: 'flooded' })
    const all = [{ type: 'person', person }, ...to('slack', 'push', 'hook', 'sentry')]
    const issue = (filter: string) => ({ issue: { when: [{ type: 'new' }], filter } })
    await addRule('Shop fails', { projects: [web.slug], ...issue('level:error'), actions: all })
    await addRule('Attacked', { projects: ['attacked'], ...issue('level:error'), actions: all })
    await addRule('Flood', { projects: ['flooded'], ...issue('level:error'), actions: to('flood') })
    await addRule('Nobody', { projects: [web.slug], ...issue('level:fatal'), actions: to('flood') })
    const plan = { dataset: 'errors', query: 'level:error', series: [{ name: 'a', aggregate: 'count()' }] }
    const threshold = { type: 'fixed', direction: 'above', critical: 5 }
    const metric = { plan, of: 'a', windowMinutes: 1, threshold }
    await addRule('More than 5 errors', { projects: [web.slug], metric, actions: to('metric') })
  }

  beforeAll(async () => {
    Object.assign(state, {
      secrets: {},
      channels: {},
      aheadMs: 0,
      folder: mkdtempSync(join(tmpdir(), 'mishap-heard-')),
    })
    setForward(0)
    state.receivers = await openReceivers(state.folder, slackToken)
    state.mail = await openMailServer(mails)
    const port = await freePort()
    state.product = await start({
      port,
      env: {
        MISHAP_URL: `http://127.0.0.1:${port}`,
        MISHAP_OUTGOING_NETWORKS: '127.0.0.0/8',
        NODE_EXTRA_CA_CERTS: state.receivers.certificate,
        NODE_OPTIONS: `--import ${join(root, 'e2e/preload.ts')}`,
        E2E_CLOCK_FILE: join(state.folder, 'clock'),
        E2E_SLACK_PORT: String(state.receivers.slackPort),
      },
    })
    await ready(state.product)
    state.web = bootstrap(state.product, org)
    state.attacked = bootstrap(state.product, org, 'attacked')
    state.flooded = bootstrap(state.product, org, 'flooded')
    state.browser = await openBrowser()
    state.phone = (await openPage(state.browser, state.product.url, { width: 390, height: 844 })).page
    state.browserKeys = subscriber(state.receivers.pushEndpoint)
    const { page } = await openPage(state.browser, state.product.url)
    await signIn(page, state.product.url, owner)
    const { endpoint, p256dh, auth } = state.browserKeys.browser
    const registered = await page.request.post(`${state.product.url}/api/0/users/me/push-browsers/`, {
      headers: { origin: state.product.url },
      data: { endpoint, keys: { p256dh, auth } },
    })
    expect(registered.status()).toBe(201)
    await page.context().close()
    const server = { host: '127.0.0.1', port: state.mail.port, security: 'none', from: 'Mishap <mishap@heard.test>' }
    await write('/mail-server/', server, 'PUT')
    const [member] = await read<{ user: { id: string } }[]>('members/')
    await createChannels(member?.user.id ?? '')
  })
  afterAll(async () => {
    await state.browser?.close()
    state.mail?.close()
    if (state.product) await discard(state.product)
    state.receivers?.close()
    rmSync(state.folder, { recursive: true, force: true })
  })

  test('the error of an SDK reaches mail, Slack, push and webhooks', async () => {
    const { receivers, product } = state
    expect(await runSdk(state.web.dsn, 1)).toBe(0)
    await until(
      'all receivers',
      15_000,
      async () =>
        mails.length === 1 &&
        receivers.calls.slack.length === 1 &&
        receivers.calls.push.length === 1 &&
        receivers.hooksOf('hook').length === 1 &&
        receivers.hooksOf('sentry').length === 1,
    )
    const [issue] = await read<(typeof state)['issue'][]>('issues/?query=')
    if (!issue) throw new Error('no issue')
    state.issue = issue
    expect(issue).toMatchObject({ title: 'PoolError: pool timeout', culprit: expect.stringMatching(/./) })
    const headline = `New issue ${issue.shortId}: ${issue.title}`
    const { headers, plain, html } = mailParts(mails[0]?.text ?? '')
    expect([headers.get('subject'), mails[0]?.to]).toEqual([headline, [owner]])
    // Chats get a space without width after an @.
    const slack = JSON.stringify(json(receivers.calls.slack[0])).replaceAll('\u200b', '')
    const [push] = pushes()
    for (const text of [plain, html, slack, `${push.title} ${push.body} ${push.url}`])
      for (const part of [issue.title, issue.culprit, 'shop@2.0.0', issueLink()]) expect(text).toContain(part)
    const [hook] = receivers.hooksOf('hook')
    const timestamp = hook?.headers['x-mishap-timestamp']
    expect(hook?.headers['x-mishap-signature']).toBe(
      `v1=${hmac(state.secrets.hook ?? '', `${timestamp}.${hook?.body}`)}`,
    )
    const { title, culprit } = issue
    expect(json(hook)).toMatchObject({
      rule: { name: 'Shop fails' },
      url: issueLink(),
      issues: [{ title, culprit, release: 'shop@2.0.0', url: issueLink() }],
    })
    const [sentry] = receivers.hooksOf('sentry')
    expect(sentry?.headers).toMatchObject({
      'sentry-hook-resource': 'event_alert',
      'sentry-hook-signature': hmac(state.secrets.sentry ?? '', String(sentry?.body)),
    })
    const { data } = json(sentry)
    expect(data).toMatchObject({ triggered_rule: 'Shop fails', event: { title, culprit, release: 'shop@2.0.0' } })
    expect(data.event.web_url).toBe(`${issueLink()}/events/${data.event.event_id}`)
    expect((await fetch(`${product.url}/o/${org}/issues/${issue.id}`, { redirect: 'manual' })).status).toBe(307)
    expect(receivers.hooksOf('flood')).toEqual([])
  })

  test('a metric rule fires once, joins the incident of its cause, and ends', async () => {
    const { receivers, issue } = state
    // The errors must be in one minute.
    setForward(minuteMs - (now() % minuteMs) + 1000)
    expect(await runSdk(state.web.dsn, 6)).toBe(0)
    const count = async () => (await read<{ count: string }>(`issues/${issue.id}/`)).count
    await expect.poll(count, { timeout: 10_000 }).toBe('7')
    setForward(minuteMs - (now() % minuteMs) + 1000)
    await until('the firing', 20_000, async () => receivers.hooksOf('metric').length === 1)
    expect(json(receivers.hooksOf('metric')[0])).toMatchObject({
      level: 'critical',
      change: 'start',
      sentence: expect.stringContaining('count() is 6 in 1 min, threshold above 5'),
    })
    expect(await read<RestIncident[]>('incidents/?status=open')).toHaveLength(1)
    const metricOf = async () => (await incidentOf(issue.id)).members.find(({ rule }) => rule?.name !== 'Shop fails')
    expect(await metricOf()).toMatchObject({ level: 'critical', value: 6, threshold: 5, dateEnded: null })
    setForward(minuteMs)
    await until('the end', 20_000, async () => (await metricOf())?.dateEnded !== null)
    const rule = (await read<RestAlertRule[]>('alerts/')).find(({ kind }) => kind === 'metric')
    expect(rule?.state).toMatchObject({ status: 'ok', value: 0 })
    expect((await incidentOf(issue.id)).dateEnded).toBeNull()
    expect(receivers.hooksOf('metric').filter((call) => json(call).change === 'start')).toHaveLength(1)
  })

  test('the link of the mail acknowledges on a phone that is not signed in, and no other link does', async () => {
    const { phone, product, issue } = state
    const at = (token: string) => `${product.url}/acknowledge?token=${encodeURIComponent(token)}`
    const statusNow = async () => (await incidentOf(issue.id)).status
    const real = linkIn(mails[0], '/acknowledge')
    const token = new URL(product.url + real).searchParams.get('token') ?? ''
    const { authSecret } = JSON.parse(readFileSync(join(product.data, 'secrets.json'), 'utf8'))
    const incident = await incidentOf(issue.id)
    const about = { id: 1, organizationId: 1, incidentId: Number(incident.id), createdMs: now() }
    const ours = createSeal(authSecret)
    const forged = `${token.slice(0, -9)}${token.at(-9) === 'A' ? 'B' : 'A'}${token.slice(-8)}`
    const links = {
      forged: at(forged),
      foreign: acknowledgeLink({ seal: createSeal('another installation').seal, url: product.url }, about),
      'of another organization': acknowledgeLink(
        { seal: ours.seal, url: product.url },
        { ...about, organizationId: 2 },
      ),
      'for another purpose': unsubscribeLink(
        { seal: ours, url: `${product.url}/acknowledge?x=` },
        { organizationId: 1, userId: 'x', kind: 'alert' },
      ).replace('/api/0/unsubscribe/?', '&'),
    }
    for (const link of Object.values(links)) {
      await phone.goto(link)
      await phone.getByText('This link is not valid. Nothing was changed.').waitFor()
      expect(await phone.getByRole('button').count()).toBe(0)
    }
    const before = { ...about, createdMs: now() - 86_400_001 }
    await phone.goto(acknowledgeLink({ seal: ours.seal, url: product.url }, before))
    await phone.getByText('This link has expired').waitFor()
    await phone.goto(product.url + real)
    await phone.getByText(issue.title).waitFor()
    await hydrated(phone)
    expect(await statusNow()).toBe('critical')
    // A page that was open for longer than the link works, and one whose link was changed.
    for (const wrong of [forged, token.slice(1)]) {
      await phone.locator('input[name=token]').evaluate((input, value) => input.setAttribute('value', value), wrong)
      await phone.getByRole('button', { name: 'Acknowledge' }).click()
      await phone.getByText('This link is not valid. Nothing was changed.').waitFor()
      expect(await statusNow()).toBe('critical')
    }
    await phone.goto(product.url + real)
    await hydrated(phone)
    expect(await phone.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
    await phone.getByRole('button', { name: 'Acknowledge' }).click()
    await phone.getByText('Acknowledged. Nobody else is told.').waitFor()
    expect(await statusNow()).toBe('acknowledged')
  })

  test('a button in Slack resolves the issue, and a wrong signature changes nothing', async () => {
    const { product, issue, receivers } = state
    const click = (secret: string) => {
      const payload = {
        type: 'block_actions',
        user: { id: 'U0OWNER', username: 'ann', team_id: 'T9TK3CUKW' },
        response_url: 'https://hooks.slack.com/actions/T9TK3CUKW/1/x',
        actions: [{ type: 'button', block_id: `issue-${issue.id}`, action_id: 'resolve', value: issue.id }],
      }
      const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
      const timestamp = String(Math.floor(now() / 1000))
      return fetch(`${product.url}/api/0/hooks/slack/${org}/`, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'x-slack-request-timestamp': timestamp,
          'x-slack-signature': `v0=${hmac(secret, `v0:${timestamp}:${body}`)}`,
        },
      })
    }
    const statusOf = async () => (await read<{ status: string }>(`issues/${issue.id}/`)).status
    const sent = json(receivers.calls.slack[0])
    expect(JSON.stringify(sent.blocks)).toContain(`"action_id":"resolve","value":"${issue.id}"`)
    expect((await click('0'.repeat(32))).status).toBe(401)
    expect([await statusOf(), receivers.calls.clicks]).toEqual(['unresolved', []])
    expect((await click(signing)).status).toBe(200)
    expect(await statusOf()).toBe('resolved')
    await until('the answer in Slack', 5000, async () => receivers.calls.clicks.length === 1)
    expect(json(receivers.calls.clicks[0])).toMatchObject({ text: expect.stringContaining('is resolved.') })
    const ended = () => mails.filter(({ text }) => mailParts(text).headers.get('subject')?.startsWith('Resolved:'))
    await until('the end of the incident', 20_000, async () => ended().length === 1)
    expect((await incidentOf(issue.id)).status).toBe('resolved')
  })

  test('hostile titles ping nobody, make no header and lead nowhere else', async () => {
    const { product, receivers, attacked } = state
    const known = new Set(mailParts(mails[0]?.text ?? '').headers.keys())
    const before = {
      mails: mails.length,
      slack: receivers.calls.slack.length,
      push: receivers.calls.push.length,
      hook: receivers.hooksOf('hook').length,
      sentry: receivers.hooksOf('sentry').length,
    }
    const attack = (text: string, at: number) =>
      errorEvent(`Attack${words(at)}`, text, { release: '', user: { id: text } })
    for (const [at, text] of hostile.entries()) await ingest(product, attacked, envelopeOf(attack(text, at)))
    await until(
      'all messages',
      15_000,
      async () =>
        mails.length - before.mails >= hostile.length &&
        receivers.calls.slack.length - before.slack >= hostile.length &&
        receivers.calls.push.length - before.push >= hostile.length &&
        receivers.hooksOf('hook').length - before.hook >= hostile.length &&
        receivers.hooksOf('sentry').length - before.sentry >= hostile.length,
    )
    const isOurs = (link: string) => expect(link.startsWith(`${product.url}/`), link).toBe(true)
    for (const { to, text } of mails.slice(before.mails)) {
      const { headers, html, plain } = mailParts(text)
      expect(`${html}${plain}`).not.toContain('://evil')
      expect(to).toEqual([owner])
      for (const name of headers.keys()) if (!known.has(name)) expect(name).toBe('references')
      expect(html).not.toMatch(/<script|<img|onerror=[^&]*>|<b>body/)
      for (const [, link = ''] of html.matchAll(/href="([^"]*)"/g)) isOurs(link.replaceAll('&amp;', '&'))
    }
    for (const call of receivers.calls.slack.slice(before.slack)) {
      const text = JSON.stringify(json(call))
      expect(text).not.toMatch(/<[!@#]|@(everyone|here|channel)|https:\/\/evil|\u202e|\u2066/)
      for (const [, link = ''] of text.matchAll(/<(https?:[^|>]+)[|>]|"url":"([^"]*)"/g)) if (link) isOurs(link)
      expect(json(call).blocks.filter(({ type }: { type: string }) => type === 'actions').length).toBeLessThanOrEqual(2)
    }
    for (const { title, body, url } of pushes().slice(before.push)) {
      expect(`${title}${body}`).not.toMatch(/[\u202e\u2066\r]/)
      isOurs(url)
    }
    for (const call of receivers.hooksOf('hook').slice(before.hook)) {
      isOurs(json(call).url)
      for (const issue of json(call).issues) isOurs(issue.url)
    }
    for (const call of receivers.hooksOf('sentry').slice(before.sentry)) isOurs(json(call).data.event.web_url)
  })

  test('one click unsubscribes, and its page does too; the phone signs out', async () => {
    const { phone, product, receivers, attacked } = state
    const { headers } = mailParts(mails[0]?.text ?? '')
    expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    const oneClick = /<([^>]+)>/.exec(headers.get('list-unsubscribe') ?? '')?.[1] ?? ''
    const gone = 'This link is not valid.'
    await phone.goto(`${oneClick.slice(0, -9)}AAAAAAAAA`)
    await phone.getByText(gone).waitFor()
    // GET leads to the page and changes nothing.
    await phone.goto(oneClick)
    await hydrated(phone)
    await phone.getByRole('button', { name: 'Unsubscribe' }).waitFor()
    expect(await phone.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
    await phone.locator('input[name=token]').evaluate((input) => input.setAttribute('value', 'v1.forged'))
    await phone.getByRole('button', { name: 'Unsubscribe' }).click()
    await phone.getByText(gone).first().waitFor()
    expect(await phone.getByText(gone).count()).toBe(1)
    await phone.goto(oneClick)
    await hydrated(phone)
    await phone.getByRole('button', { name: 'Unsubscribe' }).click()
    await phone.getByText('You get no more mails “Alert rules”').waitFor()
    // The settings can be changed back, and the button of a mail program ends the mails again.
    await signIn(phone, product.url, owner)
    const own = `${product.url}/api/0/organizations/${org}/personal-notifications/`
    const restore = { headers: { origin: product.url }, data: { kinds: { alert: ['email'] } } }
    expect((await phone.request.put(own, restore)).status()).toBe(200)
    const body = 'List-Unsubscribe=One-Click'
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await fetch(oneClick, { method: 'POST', body, headers: form })).status).toBe(200)
    expect((await fetch(`${oneClick.slice(0, -9)}AAAAAAAAA`, { method: 'POST', body, headers: form })).status).toBe(404)
    expect((await (await phone.request.get(own)).json()).kinds).toMatchObject({ alert: [], assigned: ['email'] })
    const [count, told] = [mails.length, receivers.calls.slack.length]
    await ingest(product, attacked, envelopeOf(errorEvent('AfterUnsubscribe')))
    await until('Slack', 15_000, async () => receivers.calls.slack.length > told)
    expect(mails).toHaveLength(count)
    await phone.goto(`${product.url}/o/${org}/settings/account`)
    await hydrated(phone)
    await phone.getByRole('main').getByRole('button', { name: 'Sign out' }).click()
    await phone.waitForURL(/\/login/)
    await phone.goto(`${product.url}/o/${org}/issues`)
    await phone.waitForURL(/\/login/)
  })

  test('a flood of new issues is at most twelve messages, and every issue is counted', async () => {
    const { product, receivers, flooded } = state
    const total = floodIssues
    const [refused, beganMs] = [[] as number[], Date.now()]
    // A client of a hundred connections, as 10,000 at once would only test the limits of the machine.
    for (let from = 0; from < total; from += 100) {
      const ats = Array.from({ length: Math.min(100, total - from) }, (_, at) => from + at)
      const send = (at: number) => ingest(product, flooded, envelopeOf(errorEvent(`Flood${words(at)}`)))
      refused.push(...(await Promise.all(ats.map(send))).filter(({ ok }) => !ok).map(({ status }) => status))
    }
    expect(refused).toEqual([])
    expect(Date.now() - beganMs).toBeLessThan(minuteMs)
    const countedIn = (name: string) => {
      const messages = receivers.hooksOf(name).map(json)
      const ids = new Set(messages.flatMap(({ issues }) => issues.map(({ id }: { id: string }) => id)))
      return { messages: messages.length, issues: ids.size + messages.reduce((sum, { more }) => sum + more, 0) }
    }
    const names = ['flood', 'builtin']
    const hasSummary = (name: string) => receivers.hooksOf(name).some((call) => json(call).kind === 'summary')
    await expect.poll(() => names.filter(hasSummary), { timeout: floodWaitMs }).toEqual(names)
    // The second summary is due ten minutes later. The first one may have left before all issues were stored.
    const collected = async () => {
      const open = await read<RestIncident[]>('incidents/?status=open')
      const burst = open.find(({ title }) => title === 'Many issues: Flood')
      return burst && (await read<RestIncidentDetails>(`incidents/${burst.id}/`)).membersTotal
    }
    await expect.poll(collected, { timeout: floodWaitMs }).toBe(total - 10)
    setForward(10 * minuteMs + 1000)
    const issues = () => names.map((name) => countedIn(name).issues)
    await expect.poll(issues, { timeout: floodWaitMs }).toEqual([total, total])
    for (const name of names) expect(countedIn(name).messages).toBeLessThanOrEqual(12)
  })
})
