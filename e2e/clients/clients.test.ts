import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RestEvent } from '../../src/contract/events.ts'
import type { RestRoutes } from '../../src/contract/explore/performance.ts'
import type { RestHealthData, RestSessions } from '../../src/contract/release-health.ts'
import type { RestRequestLog } from '../../src/contract/request-log.ts'
import type { RestLedger } from '../../src/contract/status.ts'
import { noChromium } from '../browser.ts'
import { api, bootstrap, discard, type Product, type Project, ready, start, until } from '../product.ts'
import { closeBrowser, type Toolchain, toolchains } from './run.ts'
import { openScreens, type Screens } from './screens.ts'
import { type Client, clients, type Kind, type ToolchainName, untested } from './table.ts'
import { openTap, type Passed, type Tap } from './tap.ts'

// Every official SDK that this machine can run sends all its kinds of items to one product. The tests compare the
// result with the table: stored and counted items, no refused request and no request sent twice.

const state = {} as { product: Product; tap: Tap; screens: Screens | undefined }
beforeAll(async () => {
  state.product = await start()
  await ready(state.product)
  state.tap = await openTap(state.product.url)
  if (!noChromium) state.screens = await openScreens(state.product.url, 'clients')
}, 180_000)
afterAll(async () => {
  await closeBrowser()
  await state.screens?.close()
  state.tap?.close()
  if (state.product) await discard(state.product)
})

/** Prepares a toolchain once for all its clients. Returns the reason if it cannot, else undefined. */
const prepared = new Map<ToolchainName, Promise<string | undefined>>()
async function prepare({ missing, fetch, build }: Toolchain): Promise<string | undefined> {
  const reason = missing()
  if (reason !== undefined || !fetch) {
    if (reason === undefined) await build?.()
    return reason
  }
  try {
    await fetch()
  } catch (error) {
    return `its packages cannot be fetched: ${error instanceof Error ? error.message : error}`
  }
  await build?.()
  return undefined
}

/** Categories of the ledger for items other than events, and for stored traces. */
const categories: Partial<Record<Kind, string>> = { log: 'log_item', session: 'session', 'check-in': 'monitor' }
const traced = ['transaction', 'span']

type Answers = { issues: { id: string; title: string }[]; ledger: RestLedger['rows']; passed: Passed[] }
const O = '/organizations/clients'
const P = (project: Project) => `/projects/clients/${project.slug}`

async function answersOf(project: Project): Promise<Answers> {
  const { product, tap } = state
  const issues = await api(product, project, `${O}/issues/?query=&project=${project.id}`)
  const ledger = await api(product, project, `${O}/ledger/?range=1h&project=${project.id}`)
  return { issues: issues.json, ledger: (ledger.json as RestLedger).rows, passed: tap.of(project.id) }
}

const titlesOf = ({ name, errors, toolchain }: Client): string[] => [
  `${errors.plain}: plain failure`,
  `${errors.chain[1]}: outer failure`,
  `hello from ${name}`,
  ...(toolchain === 'next' ? ['TypeError: server failure'] : []),
]

const counts = ({ ledger }: Answers, category: string, outcome: string): number =>
  ledger
    .filter((row) => row.category === category && row.outcome === outcome)
    .reduce((sum, row) => sum + row.quantity, 0)

/** Items that the table promises and that have not arrived yet. */
function lacking(client: Client, answers: Answers): string[] {
  const titles = answers.issues.map((issue) => issue.title)
  const without = titlesOf(client).filter((title) => !titles.includes(title))
  const uncounted = Object.entries(categories).flatMap(([kind, category]) =>
    client.fates[kind as Kind] === 'counted' && counts(answers, category, 'filtered') === 0 ? [kind] : [],
  )
  const unstored = Object.entries(categories).flatMap(([kind, category]) =>
    client.fates[kind as Kind] === 'stored' && counts(answers, category, 'stored') === 0 ? [kind] : [],
  )
  const untraced = traced.every((category) => counts(answers, category, 'stored') === 0) ? ['traces'] : []
  return [...without, ...uncounted, ...unstored, ...untraced]
}

async function eventOf(project: Project, answers: Answers, title: string): Promise<RestEvent> {
  const issue = answers.issues.find((item) => item.title === title)
  return (await api(state.product, project, `${O}/issues/${issue?.id}/events/latest/`)).json
}

const exceptionsOf = (event: RestEvent) =>
  event.entries
    .flatMap((entry) => (entry.type === 'exception' ? entry.data.values : []))
    .map((exception) => [exception.type, exception.value])

async function expectStored(client: Client, project: Project, answers: Answers): Promise<void> {
  const [plain = '', chain = '', message = ''] = titlesOf(client)
  expect(answers.issues.map((issue) => issue.title).sort()).toEqual(titlesOf(client).sort())
  expect(exceptionsOf(await eventOf(project, answers, plain))).toContainEqual([client.errors.plain, 'plain failure'])
  const chained = await eventOf(project, answers, chain)
  const [inner, outer] = client.errors.chain
  expect(exceptionsOf(chained)).toEqual([
    [inner, expect.stringContaining('inner failure')],
    [outer, expect.stringContaining('outer failure')],
  ])
  for (const event of [await eventOf(project, answers, plain), chained, await eventOf(project, answers, message)]) {
    expect(event.user?.id).toBe('u-7')
    expect(event.tags).toContainEqual({ key: 'client', value: client.name })
    const crumbs = event.entries.flatMap((entry) => (entry.type === 'breadcrumbs' ? entry.data.values : []))
    expect(crumbs).toContainEqual(expect.objectContaining({ category: 'cart', message: 'added to cart' }))
    expect(event.sdk?.version).toBe(client.version)
    expect(event.release?.version).toBe('clients@1.0.0')
  }
}

/** Checks that the API returns the trace with the span `checkout`. */
async function expectTraced(project: Project, { passed }: Answers): Promise<void> {
  const sent = passed
    .flatMap((item) => item.items)
    .filter(([type, text]) => traced.includes(type) && text.includes('"checkout"'))
    .map(([, text]) => /"trace_id": ?"([0-9a-f]{32})"/.exec(text)?.[1])
  expect(sent).toEqual([expect.any(String)])
  const trace = await until('the trace', 20_000, async () => {
    const { text } = await api(state.product, project, `${O}/trace/${sent[0]}/`)
    return text.includes('checkout') && text
  })
  expect(trace).toContain('checkout')
}

/** Checks that the log line of the SDK is found by a word of it, with the release of its process. */
async function expectLogged({ fates }: Client, project: Project): Promise<void> {
  if (fates.log !== 'stored') return
  const words = 'dataset=logs&field=message&field=severity&field=release&statsPeriod=1h'
  const query = `project=${project.id}&query=${encodeURIComponent('empty')}`
  const lines = await until('the log line', 20_000, async () => {
    const { json } = await api(state.product, project, `${O}/events/?${words}&${query}`)
    const { data } = json as { data?: object[] }
    return data !== undefined && data.length > 0 && data
  })
  expect(lines).toContainEqual(
    expect.objectContaining({ message: 'cart is empty', severity: 'info', release: 'clients@1.0.0' }),
  )
}

/** Checks that the SDK's own segment is a route on the performance page, with a trace. Span v2 and transactions alike. */
async function expectLoaded({ load }: Client, project: Project): Promise<void> {
  if (!load) return
  const op = load.kind === 'page load' ? 'pageload' : 'http.server'
  await until('the route', 20_000, async () => {
    const found = await api(state.product, project, `${O}/performance/?project=${project.slug}&statsPeriod=1h`)
    return (found.json as RestRoutes).rows.some((row) => row.op === op && row.route === load.route)
  })
  const rows = await state.screens?.traceOf(project, load.route, load.kind)
  if (rows) expect(rows).toContainEqual(expect.stringContaining(op))
}

type SentSession = { sid: string; init?: boolean; status: string; errors?: number; attrs: { release: string } }
type SentBuckets = { aggregates: Record<string, number>[] }
const ends = ['exited', 'errored', 'unhandled', 'abnormal', 'crashed'] as const

/** Counts the sessions and crashes in the items that the SDK sent, in order of arrival. */
function sessionsSent({ passed }: Answers): { all: number; crashed: number } {
  const items = passed.flatMap((item) => item.items)
  const last = new Map<string, SentSession & { started: boolean }>()
  for (const [type, text] of items) {
    if (type !== 'session') continue
    const update = JSON.parse(text) as SentSession
    const before = last.get(update.sid)
    last.set(update.sid, { ...update, started: before?.started === true || update.init === true })
  }
  const single = [...last.values()].filter((session) => session.started || session.status === 'crashed')
  const buckets = items.flatMap(([type, text]) =>
    type === 'sessions' ? (JSON.parse(text) as SentBuckets).aggregates : [],
  )
  const sum = (names: readonly string[]) =>
    buckets.reduce((total, bucket) => total + names.reduce((part, name) => part + (bucket[name] ?? 0), 0), 0)
  return {
    all: single.length + sum(ends),
    crashed: single.filter((session) => session.status === 'crashed').length + sum(['crashed']),
  }
}

/** Checks that the API shows the sessions that the SDK sent for the release. */
async function expectHealthy(client: Client, project: Project, answers: Answers): Promise<void> {
  if (client.fates.session !== 'stored') return
  const { all, crashed } = sessionsSent(answers)
  expect(all).toBeGreaterThan(0)
  const asked = `project=${project.id}&statsPeriod=24h&interval=1h&groupBy=release&field=sum(session)&field=crash_free_rate(session)`
  const sessions = (await api(state.product, project, `${O}/sessions/?${asked}`)).json as RestSessions
  expect(sessions.groups.map((group) => [group.by, group.totals])).toEqual([
    [
      { release: 'clients@1.0.0' },
      { 'sum(session)': all, 'crash_free_rate(session)': expect.closeTo((all - crashed) / all, 9) },
    ],
  ])
  const release = (await api(state.product, project, `${P(project)}/releases/clients@1.0.0/?health=1`)).json as {
    projects: { healthData: RestHealthData }[]
  }
  expect(release.projects[0]?.healthData).toMatchObject({
    hasHealthData: true,
    totalSessions: all,
    sessionsCrashed: crashed,
    sessionsAdoption: 100,
  })
}

/** Checks that no request was refused or sent twice, and that nothing arrived that the table excludes. */
async function expectNoRefusal(client: Client, project: Project, answers: Answers): Promise<void> {
  const passed = state.tap.of(project.id)
  const refused = passed.filter((request) => request.status !== 200)
  expect(refused.map((request) => [request.status, request.answer, request.items.map(([type]) => type)])).toEqual([])
  const hashes = passed.map((request) => request.hash)
  expect(passed.filter((request, at) => hashes.indexOf(request.hash) !== at).map((request) => request.items)).toEqual(
    [],
  )
  const { ledger } = answers
  // The Java SDK sends one identical session update twice. The second counts as a duplicate.
  const updates = passed.flatMap((item) => item.items.filter(([type]) => type === 'session').map(([, text]) => text))
  expect(counts(answers, 'session', 'duplicate')).toBe(updates.length - new Set(updates).size)
  const isRepeated = (row: RestLedger['rows'][number]) => row.category === 'session' && row.outcome === 'duplicate'
  const expected = ['stored', 'filtered', 'client_discard']
  expect(ledger.filter((row) => !expected.includes(row.outcome) && !isRepeated(row))).toEqual([])
  expect(ledger.filter((row) => row.outcome === 'filtered' && row.reason !== 'not_stored_yet')).toEqual([])
  const absent = Object.entries(categories).filter(([kind]) => typeof client.fates[kind as Kind] === 'object')
  expect(ledger.filter((row) => absent.some(([, category]) => row.category === category))).toEqual([])
  const { requests } = (await api(state.product, project, `${P(project)}/ingest/`)).json as RestRequestLog
  expect(requests.length).toBeGreaterThan(0)
  expect(requests.filter((request) => request.status !== 200 || request.code !== 'OK')).toEqual([])
}

test.concurrent.for(clients)(
  '$label with $package $version: all that it sends is stored or counted',
  async (client, { skip, onTestFinished }) => {
    const toolchain = toolchains[client.toolchain]
    const known = prepared.get(client.toolchain) ?? prepare(toolchain)
    prepared.set(client.toolchain, known)
    const reason = await known
    if (reason !== undefined) console.error(`${client.label} is skipped: ${reason}`)
    skip(reason !== undefined, reason)

    const project = bootstrap(state.product, 'clients', client.name)
    const { host } = new URL(project.dsn)
    await toolchain.run(client, project.dsn.replace(host, new URL(state.tap.url).host), onTestFinished)
    const answers = await until(`all of ${client.name}`, 20_000, async () => {
      const found = await answersOf(project)
      return lacking(client, found).length === 0 && found
    }).catch(() => answersOf(project))
    expect(lacking(client, answers)).toEqual([])
    await expectStored(client, project, answers)
    await expectTraced(project, answers)
    await expectLoaded(client, project)
    await expectLogged(client, project)
    await expectHealthy(client, project, await answersOf(project))
    await expectNoRefusal(client, project, answers)
  },
)

for (const { label, package: name, reason } of untested)
  test.skip(`${label} with ${name}: ${reason}`, () => expect.unreachable(reason))
