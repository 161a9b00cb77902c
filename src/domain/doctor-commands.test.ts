import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { commandOf, commonSuffix, prefixFor, shellWord } from './doctor-commands.ts'

const place = { url: 'https://x.test/mishap', org: 'acme', project: 'web', release: '', dist: '' }

describe('a word for the shell', () => {
  test.each([
    ['shop@1.2.3+4', 'shop@1.2.3+4'],
    ['', `''`],
    ['~/static', `'~/static'`],
    ['a b', `'a b'`],
    ["it's", `'it'\\''s'`],
    ['$(id)', `'$(id)'`],
    ['`id`', `'\`id\`'`],
    ['a\nb', 'ab'],
    ['\u001b[201~;id', `'[201~;id'`],
    ['\u202eexe', 'exe'],
    ['ü', `'ü'`],
    ['-rf', `'-rf'`],
  ])('%j', (text, word) => {
    expect(shellWord(text)).toBe(word)
  })

  test('a shell reads each of them as it is', () => {
    const words = ['it\'s $(id) `id` "x" \\ * ~ !h', '; rm -rf /', '&& x', '# x', '-x']
    const out = execFileSync('/bin/sh', ['-c', `printf '%s\\n' ${words.map(shellWord).join(' ')}`], {
      encoding: 'utf8',
    })
    expect(out).toBe(`${words.join('\n')}\n`)
  })
})

describe('commands', () => {
  test.each([
    [
      'inject',
      {},
      {},
      'npx @sentry/cli --url https://x.test/mishap sourcemaps inject ./dist\nnpx @sentry/cli --url https://x.test/mishap sourcemaps upload --org acme --project web ./dist',
    ],
    [
      'upload',
      { release: '-x', dist: '7' },
      {},
      "npx @sentry/cli --url https://x.test/mishap sourcemaps upload --org acme --project web --release='-x' --dist 7 ./dist",
    ],
    [
      'upload',
      { dist: '7' },
      {},
      'npx @sentry/cli --url https://x.test/mishap sourcemaps upload --org acme --project web ./dist',
    ],
    [
      'prefix',
      { release: 'r' },
      { url: 'https://a.test/assets/app.js', found: '~/app.js' },
      "npx @sentry/cli --url https://x.test/mishap sourcemaps upload --org acme --project web --release r --url-prefix '~/assets' ./dist",
    ],
  ] as const)('%s %j %j', (command, more, data, want) => {
    expect(commandOf(command, { ...place, ...more }, data)).toBe(want)
  })

  test.each([
    ['https://a.test/assets/js/app.js', '~/static/js/app.js', 2, '~/assets'],
    ['https://a.test/assets/app.js?v=1#x', '~/app.js', 1, '~/assets'],
    ['https://a.test/app.js', '~/dist/app.js', 1, '~'],
    ['app:///app.js', 'https://b.test/x/app.js', 1, '~'],
    ['https://a.test/', '~/app.js', 0, '~'],
  ])('%s for %s', (url, found, same, prefix) => {
    expect([commonSuffix(url, found), prefixFor(url, found)]).toEqual([same, prefix])
  })
})
