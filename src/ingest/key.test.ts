import { describe, expect, test } from 'vitest'
import { noKeys } from '../auth/keys.ts'
import { parseAuthQuery } from '../wire/authheader.ts'
import { dsnAgrees, findKey, findKeyByDsn, readAuth } from './key.ts'
import { disabledKey, otherKey, publicKey } from './rig.cases.ts'
import type { Target } from './routes.ts'

const known = { keyId: 1, projectId: 7, organizationId: 3, active: true, allowedOrigins: [] }
const auth = { key: publicKey, version: 7 } as Parameters<typeof findKey>[1]
const dsn = `http://${publicKey}@localhost:9000/7`

test.each([
  ['before the keys were told', noKeys, 'ACCEPT_OVERLOADED', 5],
  ['with no key at all', { version: 0, keys: {} }, 'ACCEPT_KEY_UNKNOWN', undefined],
  ['with another key', { version: 4, keys: { [otherKey]: known } }, 'ACCEPT_KEY_UNKNOWN', undefined],
  ['with the key', { version: 4, keys: { [publicKey]: known } }, undefined, undefined],
])('a key is looked up %s', (_name, snapshot, code, retryAfterS) => {
  for (const { error } of [findKey(snapshot, auth, 7, ''), findKeyByDsn(snapshot, dsn, 7, '')])
    expect([error?.code, error?.retryAfterS]).toEqual([code, retryAfterS])
})

describe('the auth of a request', () => {
  const target = (query = ''): Target => ({
    route: { name: 'envelope', projectId: 7, category: 'unknown', eventId: '' },
    query: new URLSearchParams(query),
    auth: parseAuthQuery(new URLSearchParams(query)),
  })
  const sentry = (key: string, more = '') => `Sentry sentry_version=7, sentry_key=${key}${more}`
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  const read = (headers: Record<string, string | string[]>, query?: string) => {
    try {
      return readAuth(headers, target(query))
    } catch (error) {
      return (error as { code: string }).code
    }
  }

  test.each<[string, Record<string, string | string[]>, string | undefined, string | undefined]>([
    ['none', {}, undefined, undefined],
    ['another scheme of Authorization', { authorization: `Bearer ${publicKey}` }, undefined, undefined],
    ['a word that only begins alike', { authorization: `sentryx ${publicKey}` }, undefined, undefined],
    ['its own header', { 'x-sentry-auth': sentry(publicKey) }, undefined, publicKey],
    ['its own header twice', { 'x-sentry-auth': [sentry(publicKey), sentry(publicKey)] }, undefined, publicKey],
    ['Authorization', { authorization: sentry(publicKey) }, undefined, publicKey],
    [
      'Authorization in capitals',
      { authorization: sentry(publicKey).replace('Sentry', 'SENTRY') },
      undefined,
      publicKey,
    ],
    ['Basic', { authorization: basic(`${publicKey}:secret`) }, undefined, publicKey],
    ['Basic in capitals', { authorization: basic(publicKey).replace('Basic', 'BASIC') }, undefined, publicKey],
    ['the query', {}, `sentry_key=${publicKey}`, publicKey],
    ['header and query alike', { 'x-sentry-auth': sentry(publicKey) }, `sentry_key=${publicKey}`, publicKey],
    [
      'header and query alike but for case and flags',
      { 'x-sentry-auth': sentry(publicKey) },
      `sentry_key=${publicKey.toUpperCase()}.no-cache`,
      publicKey,
    ],
    ['two different ones', { 'x-sentry-auth': sentry(publicKey) }, `sentry_key=${otherKey}`, 'ACCEPT_AUTH_TWICE'],
    [
      'two different headers',
      { 'x-sentry-auth': sentry(publicKey), authorization: basic(otherKey) },
      undefined,
      'ACCEPT_AUTH_TWICE',
    ],
    ['one source with two keys', {}, `sentry_key=${publicKey}&sentry_key=${otherKey}`, 'ACCEPT_AUTH_TWICE'],
    ['a header without a key', { 'x-sentry-auth': 'Sentry sentry_version=7' }, undefined, 'ACCEPT_KEY_MALFORMED'],
    [
      'a header without a key beside a good query',
      { 'x-sentry-auth': 'Sentry sentry_version=7' },
      `sentry_key=${publicKey}`,
      'ACCEPT_KEY_MALFORMED',
    ],
    ['Basic without a key', { authorization: 'Basic ' }, undefined, 'ACCEPT_KEY_MALFORMED'],
    ['two malformed ones that are alike', { 'x-sentry-auth': sentry('x') }, 'sentry_key=x', 'x'],
    ['two malformed ones that differ', { 'x-sentry-auth': sentry('x') }, 'sentry_key=y', 'ACCEPT_AUTH_TWICE'],
  ])('%s', (_name, headers, query, expected) => {
    const found = read(headers, query)
    expect(typeof found === 'object' ? found.key : found).toBe(expected)
  })

  test('the header’s version and client count before the query’s', () => {
    const headers = { 'x-sentry-auth': sentry(publicKey, ', sentry_client=a/1') }
    expect(read(headers, `sentry_key=${publicKey}&sentry_client=b/2&sentry_version=6`)).toMatchObject({
      client: 'a/1',
      version: 7,
    })
  })
})

describe('a key is refused', () => {
  const snapshot = {
    version: 4,
    keys: {
      [publicKey]: { ...known, allowedOrigins: ['shop.example'] },
      [disabledKey]: { ...known, keyId: 4, active: false },
    },
  }
  const find = (key: string, project: number, origin = '', version = 7) => {
    const { key: found, error } = findKey(snapshot, { key, version, client: '', conflict: false }, project, origin)
    return [error?.code, found?.keyId]
  }

  test.each<[string, Parameters<typeof find>, unknown[]]>([
    ['not', [publicKey, 7], [undefined, 1]],
    ['not where the path names no project', [publicKey, 0], [undefined, 1]],
    ['for another project', [publicKey, 8], ['ACCEPT_PROJECT_MISMATCH', 1]],
    ['where it is disabled', [disabledKey, 7], ['ACCEPT_KEY_DISABLED', 4]],
    ['not from an allowed origin', [publicKey, 7, 'https://shop.example'], [undefined, 1]],
    ['from another origin', [publicKey, 7, 'https://evil.example'], ['ACCEPT_ORIGIN_REFUSED', 1]],
    ['as no key', ['x', 7], ['ACCEPT_KEY_MALFORMED', undefined]],
    ['with version 8', [publicKey, 7, '', 8], ['ACCEPT_AUTH_VERSION', undefined]],
    ['with version 8 before all else', ['x', 7, '', 8], ['ACCEPT_AUTH_VERSION', undefined]],
  ])('%s', (_name, asked, expected) => {
    expect(find(...asked)).toEqual(expected)
  })

  test.each<[string, string | undefined, number, unknown]>([
    ['without a DSN', undefined, 7, 'ACCEPT_KEY_MISSING'],
    ['with a DSN that is none', 'http://x@y/z', 7, 'ACCEPT_KEY_MALFORMED'],
    ['with the DSN of another project', dsn, 8, 'ACCEPT_PROJECT_MISMATCH'],
    ['not where the path names no project', dsn, 0, undefined],
    ['with a DSN whose project is not the key’s', dsn.replace('/7', '/8'), 8, 'ACCEPT_PROJECT_MISMATCH'],
    ['with the same where the path names none', dsn.replace('/7', '/8'), 0, 'ACCEPT_PROJECT_MISMATCH'],
  ])('by an envelope %s', (_name, text, project, expected) => {
    expect(findKeyByDsn(snapshot, text, project, '').error?.code).toBe(expected)
  })

  test.each<[string, string, boolean]>([
    ['agrees', dsn, true],
    ['is of another project', dsn.replace('/7', '/8'), false],
    ['is of another key', dsn.replace(publicKey, disabledKey), false],
    ['is of no key', dsn.replace(publicKey, otherKey), false],
    ['is none', 'x', false],
  ])('a DSN beside it %s', (_name, text, expected) => {
    expect(dsnAgrees(snapshot, text, known)).toBe(expected)
  })
})

test('before the keys were told the refusal says so', () => {
  expect(findKey(noKeys, auth, 7, '').error?.message).toBe('Mishap is starting and reads its keys.')
})
