import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import type { RestCommitters, RestSuspectCommit, RestSuspicion } from '../../../contract/commits.ts'
import type { RestRelease } from '../../../contract/releases.ts'
import common from '../../messages/en.json'
import messages from '../../messages/releases.en.json'
import { type AnnotationGroup, groupAnnotations } from '../../ui/chart/annotations.ts'
import { ChartAnnotations } from '../../ui/chart/chart-annotations.tsx'
import { ReleaseRow, type ShownRelease } from './release-row.tsx'
import { Suspects } from './suspects.tsx'

vi.mock('next/navigation', () => ({ useRouter: () => ({ push: () => {}, prefetch: () => {} }) }))

const html = (element: React.ReactElement) =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale="en" timeZone="UTC" messages={{ ...common, releases: messages }}>
      {element}
    </NextIntlClientProvider>,
  )
/** The visible text: no tags, single spaces. */
const textOf = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

const hour = 3_600_000
const noon = Date.UTC(2026, 10, 21, 12)
const groups = (versions: string[], environment?: string): AnnotationGroup[] =>
  groupAnnotations(
    versions.flatMap((version, index) => {
      const at = new Date(noon + index * 1000).toISOString()
      const release = { kind: 'release' as const, version, at, environment: null }
      return environment ? [release, { ...release, kind: 'deploy' as const, environment }] : [release]
    }),
    noon - hour,
    noon + hour,
    48,
  )

test.each<[string, AnnotationGroup[], string]>([
  ['one release', groups(['shop@1.0.0']), 'shop@1.0.0 Nov 21, 2026, 12:00 PM, UTC'],
  ['deployed', groups(['a@1'], 'production'), 'a@1 deployed to production Nov 21, 2026, 12:00 PM, UTC'],
  ['two', groups(['a@1', 'a@2']), '2 releases a@2 a@1 Nov 21, 2026, 12:00 PM – Nov 21, 2026, 12:00 PM, UTC'],
  [
    'many are named as many',
    groups(Array.from({ length: 12 }, (_one, index) => `a@${index}`)),
    '12 releases a@11 a@10 a@9 and 9 more Nov 21, 2026, 12:00 PM – Nov 21, 2026, 12:00 PM, UTC',
  ],
])('a hairline says: %s', (_name, given, expected) => {
  expect(textOf(html(<ChartAnnotations organization="acme" groups={given} />))).toBe(expected)
})

test('hairlines are links, the newest of several; one of them takes the tab key', () => {
  const far = groupAnnotations(
    ['a@1', 'a@2', 'a 3'].map((version, index) => ({
      kind: 'release' as const,
      version,
      environment: null,
      at: new Date(noon + index * hour).toISOString(),
    })),
    noon - hour,
    noon + 3 * hour,
    48,
  )
  const made = html(<ChartAnnotations organization="acme" groups={far} />)
  expect(made.match(/href="[^"]*"/g)).toEqual([
    'href="/o/acme/releases/a%401"',
    'href="/o/acme/releases/a%402"',
    'href="/o/acme/releases/a%203"',
  ])
  expect(made.match(/tabindex="[^"]*"/gi)).toEqual(['tabindex="-1"', 'tabindex="-1"', 'tabindex="0"'])
  expect(made).toContain('aria-label="Releases and deploys"')
  expect(html(<ChartAnnotations organization="acme" groups={[]} />)).toBe('')
})

test('a hostile version is text on a hairline', () => {
  const made = html(<ChartAnnotations organization="acme" groups={groups(['<img src=x onerror=alert(1)>\u202e'])} />)
  expect(made).toContain('&lt;img src=x onerror=alert(1)&gt;')
  expect(made).toContain('U+202E')
  expect(made).not.toContain('<img')
})

const suspect = (
  change: Partial<RestSuspicion> = {},
  id = 'a',
  author = { name: 'Ada', email: 'ada@example.test' },
): RestSuspectCommit => ({
  id: id.repeat(40),
  message: `Commit ${id}`,
  dateCreated: '2026-11-20T10:00:00Z',
  author,
  repository: { id: '1', name: 'acme/shop', url: null },
  fileCount: 1,
  filesOmitted: 0,
  release: 'shop@1.0.0',
  suspicion: {
    frame: 0,
    function: 'total',
    filename: './src/cart.ts',
    lineNo: 12,
    path: 'src/cart.ts',
    change: 'M',
    parts: 2,
    confidence: 'high',
    alike: 0,
    beforeMs: 2 * hour,
    sentence: '',
    ...change,
  },
})
const found = (...commits: RestSuspectCommit[]): RestCommitters => ({
  state: 'found',
  releases: ['shop@1.0.0'],
  committers: commits.map((commit) => ({ author: commit.author, commits: [commit] })),
})

test.each<[string, Partial<RestSuspicion>, string[], string[]]>([
  [
    'thrown there',
    {},
    [
      'Changed src/cart.ts, the file of the top in-app frame (./src/cart.ts, line 12).',
      '2 h before the issue was first seen',
      'the whole path matches',
    ],
    ['as well'],
  ],
  ['added', { change: 'A' }, ['Added src/cart.ts'], ['Changed']],
  ['called it', { frame: 1 }, ['the file of the frame that called the top one'], []],
  ['further down', { frame: 3 }, ['the file of in-app frame 3 below the top'], []],
  ['no line', { lineNo: null }, ['(./src/cart.ts).'], ['line']],
  ['doubtful', { confidence: 'low', alike: 2 }, ['only the file name matches', '2 other changed files also match'], []],
  ['at the same time', { beforeMs: 0 }, [], ['before the issue']],
  ['hostile', { path: '<b>\u202e', filename: '<i>' }, ['&lt;b&gt;', '(&lt;i&gt;, line 12)'], ['<b>\u202e']],
])('a suspect commit, %s', (_name, change, there, absent) => {
  const text = textOf(html(<Suspects organization="acme" found={found(suspect(change))} />))
  for (const item of there) expect(text).toContain(item)
  for (const item of absent) expect(text).not.toContain(item)
})

test('the most suspect stands first, whoever wrote it; five are shown', () => {
  const commits = [
    suspect({ frame: 2 }, 'c'),
    suspect({ confidence: 'low' }, 'b'),
    suspect({}, 'a'),
    suspect({ beforeMs: hour }, 'd'),
    suspect({ frame: 3 }, 'e'),
  ]
  const text = textOf(html(<Suspects organization="acme" found={found(...commits)} />))
  expect([...text.matchAll(/Commit (\w)/g)].map((match) => match[1])).toEqual(['d', 'a', 'c', 'e', 'b'])
})

test.each<[RestCommitters['state'], string]>([
  ['no_release', ''],
  ['no_frames', ''],
  ['no_commits', 'Release shop@1.0.0 has no commits'],
  ['no_files', 'have no list of changed files'],
  ['no_match', 'No commit of release shop@1.0.0 before the issue changed a file'],
])('without a suspect, %s', (state, expected) => {
  const text = textOf(
    html(<Suspects organization="acme" found={{ committers: [], state, releases: ['shop@1.0.0'] }} />),
  )
  if (expected === '') expect(text).toBe('')
  else expect(text).toContain(expected)
})

const release = (change: Partial<ShownRelease> = {}): ShownRelease => ({
  id: 1,
  version: 'shop@1.0.0',
  shortVersion: '1.0.0',
  status: 'open',
  ref: null,
  url: null,
  owner: null,
  data: {},
  versionInfo: { package: 'shop', version: { raw: 'shop@1.0.0' }, description: '1.0.0', buildHash: null },
  dateCreated: '2026-11-20T10:00:00Z',
  dateReleased: null,
  firstEvent: null,
  lastEvent: null,
  newGroups: 3,
  commitCount: 0,
  lastCommit: null,
  deployCount: 0,
  lastDeploy: null,
  authors: [],
  lastDeploys: [],
  projects: [{ id: 1, slug: 'web', name: 'Web', platform: null, platforms: [], newGroups: 3 }],
  environments: [],
  refs: [],
  bundleCount: 0,
  events: 25,
  allEvents: 100,
  ...change,
})
const deploy = (id: string): RestRelease['lastDeploys'][number] => ({
  id,
  environment: `env${id}`,
  name: null,
  url: null,
  dateStarted: null,
  dateFinished: '2026-11-20T10:00:00Z',
  projects: ['web'],
})

test.each<[string, Partial<ShownRelease>, string[], string[]]>([
  [
    'plain',
    {},
    ['1.0.0 shop@1.0.0 Web', 'not finalized', 'New issues 3', 'Events 25 25% of all events with a release'],
    [],
  ],
  ['finalized', { dateReleased: '2026-11-20T11:00:00Z' }, ['Released'], ['not finalized']],
  ['no events', { events: 0, allEvents: 0 }, ['Events 0'], ['NaN', '%']],
  ['events not known', { events: null }, ['Events –'], ['Events 0']],
  [
    'commits and authors',
    { commitCount: 7, authors: ['Ada', 'Jun', 'Priya', ''].map((name) => ({ name, email: 'x@example.test' })) },
    ['7 commits Ada, Jun +2'],
    [],
  ],
  ['deploys', { lastDeploys: ['1', '2', '3', '4', '5'].map(deploy) }, ['env1', 'env3', '+2'], ['env4']],
  ['source maps', { bundleCount: 1 }, ['Source maps yes'], []],
])('a row, %s', (_name, change, there, absent) => {
  const text = textOf(html(<ReleaseRow organization="acme" row={release(change)} isCursor={false} locale="en" />))
  for (const item of there) expect(text).toContain(item)
  for (const item of absent) expect(text).not.toContain(item)
})
