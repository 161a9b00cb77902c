import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  RestGroupingInfo,
  RestGroupingPreview,
  RestIssueHash,
  RestSimilarIssue,
  RestUnmerge,
} from '../contract/grouping.ts'
import { groupingConfigOf, newestGrouping } from '../domain/grouping.ts'
import { refineEvent } from '../refine/pipeline/fixture.cases.ts'
import { commit, effect, hash } from '../store/meta/fixture.cases.ts'
import { appForFile } from './app.cases.ts'

const { made, call } = appForFile()
const O = '/organizations/acme'
const P = '/projects/acme/web'
const newest = groupingConfigOf(newestGrouping)

const frame = (name: string) => ({
  filename: `src/${name}.ts`,
  abs_path: `/srv/src/${name}.ts`,
  function: name,
  in_app: true,
})
let count = 0
const sent = (names: string[], value: string, more: object = {}) => ({
  event_id: (++count).toString(16).padStart(32, '0'),
  timestamp: made().app.clock.now() / 1000 - 600 + count,
  platform: 'node',
  exception: { values: [{ type: 'TypeError', value, stacktrace: { frames: names.map(frame) } }] },
  ...more,
})

const uncaught = (event: ReturnType<typeof sent>) => {
  const values = event.exception.values.map((item) => ({ ...item, mechanism: { type: 'onerror', handled: false } }))
  return { ...event, exception: { values } }
}

type Row = { id: string; shortId: string; title: string; count: string }
const issues = async () => (await call('GET', `${O}/issues/?query=&statsPeriod=24h`)).json as Row[]
const named = async (text: string) => {
  const found = (await issues()).find((issue) => issue.title.includes(text))
  if (!found) throw new Error(`no issue ${text}`)
  return found
}
const hashes = async (id: string) => (await call('GET', `${O}/issues/${id}/hashes/`)).json as RestIssueHash[]

beforeAll(async () => {
  await made().store([
    sent(['main', 'cart', 'pay'], 'pay one'),
    sent(['main', 'cart', 'pay'], 'pay two', { release: 'shop@2' }),
    uncaught(sent(['main', 'cart', 'pay', 'round'], 'round three')),
    sent(['serve', 'render'], 'render'),
    { ...sent([], 'x'), exception: undefined, message: 'a plain message' },
  ])
}, 120_000)

test('grouping of an event as trees; an event that is not there is not found', async () => {
  const [event] = (await call('GET', `${O}/issues/${(await named('pay')).id}/events/`)).json as { id: string }[]
  const info = (await call('GET', `${P}/events/${event?.id}/grouping-info/`)).json as RestGroupingInfo
  expect(info).toMatchObject({ version: newestGrouping, rule: null, storedRule: null })
  expect(info.hashes).toEqual(info.storedHashes)
  expect(info.variants[0]).toMatchObject({ name: 'app', contributes: true, component: { id: 'exception' } })
  expect((await call('GET', `${P}/events/${'f'.repeat(32)}/grouping-info/`)).status).toBe(404)
})

test('similar issues: the nearest first, without the issue itself', async () => {
  const pay = await named('pay')
  const found = (await call('GET', `${O}/issues/${pay.id}/similar/`)).json as RestSimilarIssue[]
  expect(found[0]?.issue.title).toContain('round three')
  expect(found[0]?.stack).toBeGreaterThan(0.3)
  expect(found.map((item) => item.issue.id)).not.toContain(pay.id)
  expect(found.map((item) => item.score)).toEqual(found.map((item) => item.score).toSorted((a, b) => b - a))
})

test('similar issues of one whose own hash stands behind many that no event has', async () => {
  const wrapped = (names: string[], lib: number) => {
    const made = sent(names, 'late hash')
    made.exception.values[0]?.stacktrace.frames.push({ ...frame(`lib${lib}`), in_app: false })
    return made
  }
  const [name = ''] = Array.from({ length: 200 }, (_, n) => `late${n}`).filter((item) => {
    const [own = '', ...others] = [0, 1, 2, 3, 4, 5].flatMap(
      (lib) => refineEvent(wrapped(['main', item], lib)).row.hashes,
    )
    return others.filter((hash) => hash < own).length > 5
  })
  expect(name).not.toBe('')
  // Each event has a different hash of all frames, and is found by the hash of application frames.
  for (const lib of [0, 1, 2, 3, 4, 5]) await made().store([wrapped(['main', name], lib)])
  await made().store([wrapped(['main', name, 'deeper'], 0)])
  const issue = (await issues()).find((item) => item.title.includes('late hash') && item.count === '6')
  const { status, json } = await call('GET', `${O}/issues/${issue?.id}/similar/`)
  expect([status, (json as RestSimilarIssue[])[0]?.issue.title]).toEqual([200, 'TypeError: late hash'])
  for (const item of (await issues()).filter((row) => row.title.includes('late hash')))
    await call('DELETE', `${O}/issues/${item.id}/`)
})

describe('rules', () => {
  const rules = { fingerprintingRules: 'stack.function:pay -> paying title="Paying {{ error.value }}"' }
  test('a preview tells which events would belong elsewhere, and changes nothing', async () => {
    const preview = (await call('POST', `${P}/grouping-preview/`, { body: rules })).json as RestGroupingPreview
    expect([preview.looked, preview.changed, preview.newIssues]).toEqual([5, 3, 1])
    expect(preview.events.map((event) => [event.kind, event.to])).toEqual([
      ['new', null],
      ['new', null],
      ['new', null],
    ])
    expect(preview.events[0]?.rule).toContain('stack.function:pay')
    expect((await call('GET', `${P}/`)).json).toMatchObject({ fingerprintingRules: '', groupingConfig: newest })
    const empty = (await call('POST', `${P}/grouping-preview/`, { body: {} })).json as RestGroupingPreview
    expect(empty).toMatchObject({ looked: 5, changed: 0, events: [] })
  })
  test.each([
    ['fingerprintingRules', 'nope', 'Line 1, column 1: expected a matcher'],
    ['groupingEnhancements', 'function:x', 'Line 1, column 11: expected an action'],
  ])('%s that cannot be read say where, in the preview and when saved', async (field, text, sentence) => {
    for (const [method, path] of [
      ['POST', `${P}/grouping-preview/`],
      ['PUT', `${P}/`],
    ] as const) {
      const { status, json } = await call(method, path, { body: { [field]: text } })
      expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining(sentence)])
      expect(Object.keys(json as object)).toContain(field)
    }
  })
  test('a preview tells of events, so a token for projects alone does not get one', async () => {
    const person = await made().app.auth.personByEmail('owner@example.test')
    if (!person) throw new Error('no owner')
    const tokenOf = async (scopes: string[]) =>
      (await made().app.auth.createToken(person, scopes.join(), scopes, null)).secret
    const statusOf = async (scopes: string[]) =>
      (await call('POST', `${P}/grouping-preview/`, { body: rules, token: await tokenOf(scopes) })).status
    expect(await statusOf(['project:write'])).toBe(403)
    expect(await statusOf(['project:write', 'event:read'])).toBe(200)
  })
  test('are saved with the revision, reach refine, and a version that is not there is refused', async () => {
    const { revision } = (await call('GET', `${P}/`)).json as { revision: number }
    expect((await call('PUT', `${P}/`, { body: { ...rules, revision } })).json).toMatchObject(rules)
    expect((await call('PUT', `${P}/`, { body: { ...rules, fingerprintingRules: '', revision } })).status).toBe(409)
    expect((await made().app.meta.projects.projectSettings(made().project.id))?.grouping?.fingerprintRules).toBe(
      rules.fingerprintingRules,
    )
    expect((await call('PUT', `${P}/`, { body: { groupingConfig: 'mishap:99' } })).status).toBe(400)
    const [event] = (await call('GET', `${O}/issues/${(await named('render')).id}/events/`)).json as { id: string }[]
    const info = (await call('GET', `${P}/events/${event?.id}/grouping-info/`)).json as RestGroupingInfo
    expect(info.rule).toBeNull()
    await call('PUT', `${P}/`, { body: { fingerprintingRules: '' } })
  })
})

describe('the version', () => {
  const browser = (type: string, value: string, more: object = {}) => ({
    event_id: (++count).toString(16).padStart(32, '0'),
    timestamp: made().app.clock.now() / 1000 - 300 + count,
    platform: 'javascript',
    exception: { values: [{ type, value }] },
    request: { url: 'https://a.test/cart' },
    ...more,
  })
  const chunk = () => browser('ChunkLoadError', 'Loading chunk 7 failed.', { release: 'shop@1' })
  const page = () => browser('Error', 'Failed to load static props', { release: 'shop@1' })
  const differs = (component: string) => {
    const link = 'https://react.dev/link/hydration-mismatch'
    const tree = `  <${component}>\n    <time>\n+     1/2/2026\n-     02.01.2026`
    return browser('Error', `Hydration failed because the server rendered text didn't match.\n\n${link}\n\n${tree}\n`)
  }
  const infoOf = async (id = '') => (await call('GET', `${P}/events/${id}/grouping-info/`)).json as RestGroupingInfo
  const counts = async () =>
    (await issues()).flatMap(({ title, count }) =>
      /Chunk|static props|Hydration/.test(title) ? [`${count} ${title.slice(0, 25)}`] : [],
    )
  const change = async (groupingConfig: string) => (await call('PUT', `${P}/`, { body: { groupingConfig } })).status

  /** Reverts the project to its state before there were two versions, without an open transition. */
  function asBefore(): void {
    const database = new DatabaseSync(join(made().app.config.data, 'meta.sqlite'), { timeout: 5000 })
    database.exec('update project set grouping_version = 1, grouping_secondary = null, grouping_until_ms = null')
    database.close()
  }

  test('a project that changes over goes on with its issues, by both keys', async () => {
    asBefore()
    expect((await call('GET', `${P}/`)).json).toMatchObject({
      groupingConfig: 'mishap:1',
      secondaryGroupingConfig: null,
    })
    for (const item of [chunk(), page(), differs('Order')]) await made().store([item])
    const before = ['1 ChunkLoadError: Loading c', '1 Error: Failed to load sta', '1 Error: Hydration failed b']
    expect((await counts()).sort()).toEqual(before)
    // Events of old tabs join the issue with their first event. None creates a new issue.
    const preview = (await call('POST', `${P}/grouping-preview/`, { body: { groupingConfig: 'mishap:2' } }))
      .json as RestGroupingPreview
    const gone = await named('Loading chunk')
    expect(preview.newIssues).toBe(0)
    expect(preview.events.map((event) => [event.title.slice(0, 9), event.to?.shortId])).toEqual([
      ['Error: Fa', gone.shortId],
    ])

    expect(await change('mishap:2')).toBe(200)
    expect((await call('GET', `${P}/`)).json).toMatchObject({
      groupingConfig: 'mishap:2',
      secondaryGroupingConfig: 'mishap:1',
    })
    await made().store([chunk(), differs('Order')])
    await made().store([page()])
    expect((await counts()).map((item) => item.split(' ')[0]).sort()).toEqual(['1', '2', '3'])
    expect((await hashes(gone.id)).length).toBe(2)
  })

  test('what counted in version 2 is explained part by part', async () => {
    const [item, two, three] = await made().store([differs('Price$1'), differs('Lx'), chunk()])
    const parts = async (id: string | undefined) => {
      const { version, variants } = await infoOf(id)
      const [first] = variants
      expect([version, first?.name, first?.contributes]).toEqual([2, 'built_in_fingerprint', true])
      return first?.component.values.map((part) =>
        typeof part === 'string' ? part : [part.id, part.values[0], part.hint, part.contributes],
      )
    }
    expect(await parts(item)).toEqual([
      ['entry', 'hydration', undefined, true],
      ['cause', 'date-locale', 'one-cause', true],
      ['component', 'Price', 'build-cut', true],
    ])
    expect(await parts(two)).toEqual([
      ['entry', 'hydration-route', undefined, true],
      ['cause', 'date-locale', 'one-cause', true],
      ['route', '/cart', 'no-component', true],
    ])
    expect(await parts(three)).toEqual([
      ['entry', 'skew', undefined, true],
      ['release', 'shop@1', 'release-first', true],
      ['skew', 'chunk', 'any-skew', false],
    ])
  })

  afterAll(async () => {
    for (const issue of await issues())
      if (/Chunk|static props|Hydration/.test(issue.title)) await call('DELETE', `${O}/issues/${issue.id}/`)
  })

  test('a project that changes over to version 3 groups messages by their text, and its issue goes on', async () => {
    const frames = [{ filename: 'https://a.test/a.js', function: 'report', lineno: 1, colno: 2, in_app: true }]
    const mechanism = { type: 'generic', handled: true, synthetic: true }
    const reported = (value: string) => ({
      ...browser('', value),
      message: value,
      release: 'shop@1',
      exception: { values: [{ value, stacktrace: { frames }, mechanism }] },
    })
    const mine = async () =>
      (await issues()).filter(({ title }) => /no stock|left/.test(title)).map(({ title, count }) => `${count} ${title}`)
    expect(await change('mishap:2')).toBe(200)
    await made().store([reported('no stock')])
    await made().store([reported('Anna left')])
    expect(await mine()).toEqual(['2 Anna left'])
    expect(await change('mishap:3')).toBe(200)
    // The old hash leads to the previous issue for 90 days.
    const [first] = await made().store([reported('no stock')])
    expect(await mine()).toEqual(['3 no stock'])
    const { version, variants } = await infoOf(first)
    expect([version, variants.map(({ name, contributes, hint }) => [name, contributes, hint])]).toEqual([
      3,
      [
        ['default', true, null],
        ['app', false, 'message-first'],
        ['system', false, 'message-first'],
      ],
    ])
  })
})

describe('merge and unmerge', () => {
  // The title comes from the newest event of all merged issues.
  const kept = { id: '' }
  test('makes several issues one, exactly counted, and old links lead there', async () => {
    const [pay, round, plain] = [await named('pay'), await named('round'), await named('plain')]
    kept.id = pay.id
    const path = `${O}/issues/?id=${round.id}&id=${pay.id}&id=${plain.id}`
    expect((await call('PUT', `${O}/issues/?id=${pay.id}`, { body: { merge: 1 } })).status).toBe(400)
    const { json } = await call('PUT', path, { body: { merge: 1 } })
    // The issue with the most events remains.
    expect(json).toMatchObject({ merge: { parent: pay.id, children: expect.arrayContaining([round.id, plain.id]) } })
    const merged = (await call('GET', `${O}/issues/${round.shortId}/`)).json as Row
    expect(merged).toMatchObject({ id: pay.id, count: '4', title: plain.title, isUnhandled: true })
    expect((await hashes(pay.id)).map((item) => [item.events, item.mergedFrom])).toEqual([
      [2, null],
      [1, expect.any(String)],
      [1, expect.any(String)],
    ])
  })
  test('takes a hash out again with its events: the merged issue is back', async () => {
    const back = (await hashes(kept.id)).find((item) => item.latestEvent?.title.includes('round'))
    const path = `${O}/issues/${kept.id}/hashes/`
    const { status, json } = await call('DELETE', `${path}?id=${back?.id}`)
    expect([status, (json as RestUnmerge).events, (json as RestUnmerge).made?.shortId]).toEqual([
      200,
      1,
      back?.mergedFrom,
    ])
    expect((await named('round')).count).toBe('1')
    expect((await call('GET', `${O}/issues/${kept.id}/`)).json).toMatchObject({ count: '3' })
    expect((await call('DELETE', `${path}?id=${back?.id}`)).status).toBe(404)
    const all = (await hashes(kept.id)).map((item) => `id=${item.id}`).join('&')
    expect((await call('DELETE', `${path}?${all}`)).status).toBe(400)
    expect((await call('DELETE', `${path}?id=zz`)).status).toBe(400)
  })
  test('what stays looks like its own newest event', async () => {
    const path = `${O}/issues/${kept.id}/`
    // The only unhandled event has left.
    expect((await call('GET', path)).json).toMatchObject({ title: 'a plain message', isUnhandled: false })
    const plain = (await hashes(kept.id)).find((item) => item.latestEvent?.title === 'a plain message')
    expect((await call('DELETE', `${path}hashes/?id=${plain?.id}`)).status).toBe(200)
    expect((await call('GET', path)).json).toMatchObject({ title: 'TypeError: pay two', count: '2' })
  })
  test('is undone as one: each issue is back with its state, and only once', async () => {
    const [round, plain] = [await named('round'), await named('plain')]
    await call('PUT', `${O}/issues/${round.id}/`, { body: { status: 'resolved' } })
    const { json } = await call('PUT', `${O}/issues/?id=${kept.id}&id=${round.id}&id=${plain.id}`, {
      body: { merge: 1 },
    })
    const { activity } = (json as { merge: { activity: string } }).merge
    const path = `${O}/issues/${kept.id}/merges/${activity}/undo/`
    const undone = await call('POST', path)
    const ids = (undone.json as { restored: Row[] }).restored.map(({ id }) => id)
    expect([undone.status, ids.sort()]).toEqual([200, [round.id, plain.id].sort()])
    expect((await call('GET', `${O}/issues/${round.id}/`)).json).toMatchObject({ status: 'resolved', count: '1' })
    expect((await call('GET', `${O}/issues/${kept.id}/`)).json).toMatchObject({ count: '2' })
    expect((await call('POST', path)).status).toBe(409)
    expect((await call('POST', `${O}/issues/${round.id}/merges/${activity}/undo/`)).status).toBe(404)
    expect((await call('POST', `${O}/issues/${kept.id}/merges/x/undo/`)).status).toBe(404)
    await call('PUT', `${O}/issues/${round.id}/`, { body: { status: 'unresolved' } })
  })
  test('who may only read may not', async () => {
    const { secret } = await made().app.auth.createToken(
      await made().app.auth.createPerson({ name: 'V', email: 'v@example.test', password: 'correct horse battery' }),
      'read',
      ['event:read'],
      null,
    )
    const { status } = await call('DELETE', `${O}/issues/${kept.id}/hashes/?id=${'0'.repeat(16)}`, { token: secret })
    expect(status).toBe(404)
  })
  test('sixty at once are merged in steps, and the answer comes with their end', async () => {
    const { app, project } = made()
    const timestampMs = app.clock.now()
    const events = Array.from({ length: 60 }, (_, n) =>
      effect({ projectId: project.id, hashes: [hash(n + 700)], title: 'SixtyError', timestampMs }),
    )
    await commit(app.meta, { events })
    const ids = (await app.meta.issues.listIssues({ projectIds: [project.id], sort: 'last', max: 200 })).flatMap(
      (issue) => (issue.title === 'SixtyError' ? [`id=${issue.id}`] : []),
    )
    expect(ids.length).toBe(60)
    const { status, json } = await call('PUT', `${O}/issues/?${ids.join('&')}`, { body: { merge: 1 } })
    const { merge } = json as { merge: { parent: string; children: string[] } }
    expect([status, merge.children.length]).toEqual([200, 59])
    expect(await app.meta.issues.issueById(Number(merge.children[58]))).toMatchObject({
      id: Number(merge.parent),
      count: 60,
    })
    const entry = (await app.meta.issues.activityOf(Number(merge.parent))).find((item) => item.type === 'merge')
    expect(entry).toMatchObject({ userId: expect.any(String), data: { count: 59 } })
    // One issue no longer exists: nothing is merged.
    const again = await call('PUT', `${O}/issues/?id=${merge.parent}&id=${merge.children[0]}`, { body: { merge: 1 } })
    expect(again.status).toBe(400)
    await call('DELETE', `${O}/issues/${merge.parent}/`)
  })
  test('more than 1,000 that a search finds: refused, none is left out', async () => {
    const { app } = made()
    const timestampMs = app.clock.now()
    const events = Array.from({ length: 1001 }, (_, n) => effect({ hashes: [hash(n + 9000)], timestampMs }))
    await commit(app.meta, { events })
    const { status, json } = await call('PUT', `${O}/issues/?query=is:unresolved`, { body: { merge: 1 } })
    expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining('At most 1000 issues')])
    expect(
      (await app.meta.issues.listIssues({ projectIds: [made().project.id], sort: 'last', max: 2000 })).length,
    ).toBeGreaterThan(1000)
  })
})
