import { describe, expect, test } from 'vitest'
import { parseAuthHeader, parseAuthQuery, parseBasic, parseDsn, readKey } from './authheader.ts'

const key = '0123456789abcdef0123456789abcdef'
const other = 'f'.repeat(32)

describe('parseAuthHeader', () => {
  test.each([
    [
      'as SDKs send it',
      `Sentry sentry_version=7, sentry_key=${key}, sentry_client=raven/1.0`,
      { key, version: 7, client: 'raven/1.0', conflict: false },
    ],
    ['no blanks', `Sentry sentry_key=${key},sentry_version=6`, { key, version: 6, client: '', conflict: false }],
    ['blanks only', `sentry  sentry_key=${key} sentry_version=5`, { key, version: 5, client: '', conflict: false }],
    ['without the word', `sentry_key=${key}`, { key, version: 7, client: '', conflict: false }],
    ['quoted', `Sentry sentry_key="${key}"`, { key, version: 7, client: '', conflict: false }],
    ['a newer version', `Sentry sentry_version=8, sentry_key=${key}`, { key, version: 8, client: '', conflict: false }],
    [
      'a version that is no number',
      `Sentry sentry_version=x, sentry_key=${key}`,
      { key, version: 7, client: '', conflict: false },
    ],
    [
      'legacy secret and timestamp',
      `Sentry sentry_timestamp=1, sentry_secret=s, sentry_key=${key}`,
      { key, version: 7, client: '', conflict: false },
    ],
    [
      'the same key again',
      `Sentry sentry_key=${key}, sentry_key=${key}`,
      { key, version: 7, client: '', conflict: false },
    ],
    ['two keys', `Sentry sentry_key=${other}, sentry_key=${key}`, { key, version: 7, client: '', conflict: true }],
    ['no key', 'Sentry sentry_version=7', undefined],
    ['empty', '', undefined],
  ])('%s', (_name, text, wanted) => {
    expect(parseAuthHeader(text)).toEqual(wanted)
  })
})

test.each([
  [
    `sentry_key=${key}&sentry_version=7&sentry_client=sentry.javascript.browser%2F11.12.0`,
    { key, version: 7, client: 'sentry.javascript.browser/11.12.0', conflict: false },
  ],
  [`sentry_key=${key}`, { key, version: 7, client: '', conflict: false }],
  [`sentry_key=${key}&sentry_key=${key}`, { key, version: 7, client: '', conflict: false }],
  [`sentry_key=${key}&sentry_key=${other}`, { key, version: 7, client: '', conflict: true }],
  ['sentry_release=1&sentry_data=x', undefined],
])('parseAuthQuery %s', (text, wanted) => {
  expect(parseAuthQuery(new URLSearchParams(text))).toEqual(wanted)
})

test.each([
  [`${key}:`, key],
  [`${key}:secret`, key],
  [key, key],
  [':secret', undefined],
])('parseBasic %s', (text, wanted) => {
  expect(parseBasic(`Basic ${Buffer.from(text).toString('base64')}`)?.key).toBe(wanted)
})

test.each([
  [key, key],
  [key.toUpperCase(), key],
  [`${key}.no-cache`, key],
  [key.slice(1), undefined],
  [`${key}0`, undefined],
  ['0123456789abcdef0123456789abcde-', undefined],
  ['__proto__', undefined],
  ['', undefined],
])('readKey %s', (text, wanted) => {
  expect(readKey(text)).toBe(wanted)
})

test.each([
  [`https://${key}@o1.example/5`, { key, projectId: 5, host: 'o1.example' }],
  [`http://${key}:secret@localhost:9000/5/`, { key, projectId: 5, host: 'localhost:9000' }],
  [`https://${key}@example/a/b/77`, { key, projectId: 77, host: 'example' }],
  [`https://${key}@[::1]:9000/7`, { key, projectId: 7, host: '[::1]:9000' }],
  [`https://${key}.no-cache@example/7`, { key, projectId: 7, host: 'example' }],
  ['https://example/5', undefined],
  [`https://${key}@example/`, undefined],
  [`https://${key}@example/five`, undefined],
  ['no url', undefined],
])('parseDsn %s', (text, wanted) => {
  expect(parseDsn(text)).toEqual(wanted)
})
