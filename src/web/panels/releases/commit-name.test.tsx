import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { RestCommit } from '../../../contract/commits.ts'
import compare from '../../messages/compare.en.json'
import time from '../../messages/en.json'
import messages from '../../messages/releases.en.json'
import { CommitName, commitHref } from './commit-name.tsx'
import { Commits } from './commits.tsx'
import { Deploys } from './deploys.tsx'

const hash = 'f'.repeat(40)
const commit = (change: Partial<RestCommit> = {}): RestCommit => ({
  id: hash,
  message: 'Cart sums in cents\n\nNo more floats.',
  dateCreated: '2026-11-20T10:00:00Z',
  author: { name: 'Ada', email: 'ada@example.test' },
  repository: { id: '1', name: 'acme/shop', url: 'https://git.example.test/acme/shop' },
  fileCount: 0,
  filesOmitted: 0,
  ...change,
})
const html = (element: React.ReactElement) =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale="en" timeZone="UTC" messages={{ ...time, compare, releases: messages }}>
      {element}
    </NextIntlClientProvider>,
  )

test.each<[string, string | null, string, string | undefined]>([
  ['https', 'https://git.example.test/acme/shop', hash, `https://git.example.test/acme/shop/commit/${hash}`],
  ['a slash at the end', 'https://git.example.test/a/', hash, `https://git.example.test/a/commit/${hash}`],
  ['.git at the end', 'https://git.example.test/a.git', hash, `https://git.example.test/a/commit/${hash}`],
  ['no address', null, hash, undefined],
  ['a script', 'javascript:alert(1)', hash, undefined],
  ['data', 'data:text/html,x', hash, undefined],
  ['mail', 'mailto:a@example.test', hash, undefined],
  ['a commit that is no hash', 'https://git.example.test/a', '../../x', undefined],
])('commitHref, %s', (_name, url, id, expected) => {
  expect(commitHref({ id, repository: { id: '1', name: 'a', url } })).toBe(expected)
})

test('a commit says its first line, its author, its repository and its short id', () => {
  const made = html(<CommitName commit={commit()} />)
  expect(made).toContain('<b>Cart sums in cents</b>')
  expect(made).toContain(`<code>${'f'.repeat(12)}</code>`)
  expect(made).toContain('Ada acme/shop')
  expect(made).toContain(`href="https://git.example.test/acme/shop/commit/${hash}"`)
})

test.each<[string, Partial<RestCommit>, string[], string[]]>([
  ['markup is text', { message: '<img src=x onerror=alert(1)>' }, ['&lt;img src=x onerror=alert(1)&gt;'], ['<img']],
  ['bidi controls are seen', { message: 'a\u202eb' }, ['U+202E'], ['\u202e']],
  ['only the id is known', { message: null }, ['Only the id of this commit is known.'], []],
  ['an author without a name', { author: { name: '', email: 'x@example.test' } }, ['x@example.test'], []],
  ['nobody', { author: null }, ['acme/shop'], ['Ada']],
  [
    'no link for a script',
    { repository: { id: '1', name: 'r', url: 'javascript:alert(1)' } },
    [hash.slice(0, 12)],
    ['href'],
  ],
])('a commit: %s', (_name, change, there, absent) => {
  const made = html(<CommitName commit={commit(change)} />)
  for (const item of there) expect(made).toContain(item)
  for (const item of absent) expect(made).not.toContain(item)
})

test('commits have the rest of their message, and their files with those that are not listed', () => {
  const file = { id: '1', orgId: 1, author: null, commitMessage: null, commitId: hash, filename: 'src/cart.ts' }
  const made = html(
    <Commits
      organization="acme"
      commits={[commit({ fileCount: 3, filesOmitted: 2 }), commit({ id: 'a'.repeat(40) })]}
      files={[{ ...file, type: 'M' }]}
      issues={new Map([[hash, { suspectOf: [], resolves: ['SHOP-1', '<b>'] }]])}
    />,
  )
  expect(made).toContain('resolves SHOP-1, &lt;b&gt;')
  expect(made).toContain('No more floats.')
  expect(made).toContain('<summary>5 files</summary>')
  expect(made).toMatch(/<code>src\/cart\.ts<\/code> <span[^>]*>changed<\/span>/)
  expect(made).toContain('4 files are not listed')
  expect(made.match(/<summary>/g)).toHaveLength(1)
})

test('deploys say how long they took, and link only to addresses that may be one', () => {
  const deploy = { id: '1', environment: 'production', name: null, dateFinished: '2026-11-20T10:00:30Z', projects: [] }
  const made = html(
    <Deploys
      deploys={[
        { ...deploy, url: 'https://ci.example.test/1', dateStarted: '2026-11-20T10:00:00Z' },
        { ...deploy, id: '2', url: 'javascript:alert(1)', dateStarted: null },
        { ...deploy, id: '3', url: null, dateStarted: '2026-11-20T11:00:00Z' },
        { ...deploy, id: '4', url: null, dateStarted: '2026-11-20T09:50:30Z' },
      ]}
    />,
  )
  expect(made.match(/href="[^"]*"/g)).toEqual(['href="https://ci.example.test/1"'])
  expect(made).toContain('30 s')
  expect(made).toContain('10 min')
  expect(made).toContain('javascript:alert(1)')
  expect(made).not.toContain('NaN')
})
