import { expect, test } from 'vitest'
import type { RestIssue, RestIssueDetail } from '../contract/issues.ts'
import type { RestSkew } from '../contract/skew.ts'
import { appForFile } from './app.cases.ts'
import { hex } from './seed.cases.ts'

// Noise of issues and skew of deploys over the API, with real stores.

const { made, call, personAs } = appForFile()
const O = '/organizations/acme'
const nowS = Math.floor(Date.now() / 1000)
const minute = 60

type Given = {
  type: string
  place?: string
  value?: string
  user?: string
  release?: string
  atS?: number
  url?: string
}
const event = (id: number, given: Given) => {
  const { type, place = 'https://shop.test/app.js', value = 'x', user, release, atS = nowS - 600, url } = given
  return {
    event_id: hex(id),
    platform: 'javascript',
    timestamp: atS,
    environment: 'production',
    ...(release ? { release } : {}),
    ...(user ? { user: { id: user } } : {}),
    request: { url: url ?? 'https://shop.test/cart' },
    exception: {
      values: [
        { type, value, stacktrace: { frames: [{ abs_path: place, filename: place, function: 'f', lineno: 1 }] } },
      ],
    },
  }
}
const inject = 'chrome-extension://abcdefgh/inject.js'
const find = async (query: string) =>
  (await call('GET', `${O}/issues/?query=${encodeURIComponent(query)}`)).json as RestIssue[]
const detail = async (id: string) => (await call('GET', `${O}/issues/${id}/`)).json as RestIssueDetail

test('noise stands in list and detail with its filter, and goes with the first event of the own', async () => {
  await made().store([
    event(1, { type: 'ExtensionError', place: inject }),
    event(2, { type: 'ExtensionError', place: inject }),
    event(3, { type: 'OwnError' }),
    event(4, { type: 'TagError', place: 'https://www.googletagmanager.com/gtm.js' }),
  ])
  const noisy = await find('is:noise')
  expect(noisy.map((item) => [item.metadata.type, item.noise?.kind]).sort()).toEqual([
    ['ExtensionError', 'extension'],
    ['TagError', 'third-party'],
  ])
  expect((await find('!is:noise')).map((item) => [item.metadata.type, item.noise])).toEqual([['OwnError', null]])
  const [entry, other] = ['ExtensionError', 'TagError'].map((type) => noisy.find((row) => row.metadata.type === type))
  expect(await detail(entry?.id ?? '')).toMatchObject({
    noise: { kind: 'extension', sentence: 'A browser extension threw it.' },
    noiseFilter: { id: 'browser-extensions', isActive: false },
  })
  expect(await detail(other?.id ?? '')).toMatchObject({ noise: { kind: 'third-party' }, noiseFilter: null })
  await call('PUT', '/projects/acme/web/filters/browser-extensions/', { body: { active: true } })
  expect((await detail(entry?.id ?? '')).noiseFilter).toEqual({ id: 'browser-extensions', isActive: true })
  await call('PUT', '/projects/acme/web/filters/browser-extensions/', { body: { active: false } })
  expect((await detail(entry?.id ?? '')).noiseFilter?.isActive).toBe(false)
})

test('skew of a deploy in one panel and one issue', async () => {
  const chunk = { type: 'ChunkLoadError', value: 'Loading chunk 418 failed.', release: 'shop@1.0.0' }
  const atS = nowS - 50 * minute
  await made().store([
    event(20, { ...chunk, user: 'a', atS: atS + minute }),
    event(21, { ...chunk, user: 'b', atS: atS + 2 * minute }),
    event(22, { ...chunk, user: 'b', atS: atS + 12 * minute }),
    event(23, { type: 'OwnError', user: 'a', release: 'shop@1.1.0', atS: atS + 5 * minute }),
    event(24, {
      type: 'Error',
      value: 'Failed to find Server Action "abc". This request might be from an older deployment.',
      release: 'shop@1.0.0',
      user: 'c',
      atS: atS + 3 * minute,
    }),
    event(25, { ...chunk, user: 'd', atS: atS - 5 * minute }),
  ])
  const path = `${O}/releases/${encodeURIComponent('shop@1.1.0')}`
  const panels = async (token?: string) =>
    (await call('GET', `${path}/skew/`, token ? { token } : {})).json as RestSkew[]
  const [begin] = await panels()
  // Without a deploy the release starts at its first event, which is after some of the skew events.
  expect(begin).toMatchObject({ environment: null, until: 'now', events: 1, people: { all: 1, stuck: 0, unknown: 1 } })
  await call('POST', `${path}/deploys/`, {
    body: { environment: 'production', dateFinished: new Date(atS * 1000).toISOString() },
  })
  const [panel, ...others] = await panels()
  expect(others).toEqual([])
  expect(panel).toMatchObject({
    environment: 'production',
    from: new Date(atS * 1000).toISOString(),
    until: 'now',
    events: 4,
    lasts: false,
    people: { all: 3, recovered: 1, stuck: 1, unknown: 1 },
    kinds: [
      { kind: 'chunk', events: 3 },
      { kind: 'server-action', events: 1 },
    ],
    releases: [{ release: 'shop@1.0.0', events: 4 }],
  })
  // Both kinds belong to one release, so they form one issue.
  expect(panel?.issues.map((issue) => [issue.project, issue.events])).toEqual([['web', 4]])
  expect(panel?.points.reduce((sum, [, events]) => sum + events, 0)).toBe(4)
  expect(panel?.points.length).toBeGreaterThan(4)
  await call('POST', `${O}/releases/`, { body: { version: 'shop@1.2.0', projects: ['web'] } })
  await call('POST', `${O}/releases/${encodeURIComponent('shop@1.2.0')}/deploys/`, {
    body: { environment: 'production', dateFinished: new Date((atS + 10 * minute) * 1000).toISOString() },
  })
  expect(await panels()).toMatchObject([{ until: 'deploy', events: 3, lasts: null, people: { all: 3, stuck: 0 } }])
  expect(await panels((await personAs('viewer')).token)).toMatchObject([{ events: 3 }])
  // A build token can read releases, but not events.
  expect(await panels((await personAs('member', ['project:releases'])).token)).toEqual([])
})
