import { expect, test } from 'vitest'
import { parsePostgresUrl } from '../../../../base/postgres-url.ts'
import { tlsOptions } from './tls.ts'

test.each([
  ['disable', 'db', undefined],
  ['prefer', '/run/postgresql', undefined],
  ['prefer', 'db', { rejectUnauthorized: false }],
  ['require', 'db', { rejectUnauthorized: false }],
  ['verify-ca', 'db', { checkServerIdentity: expect.any(Function) }],
  ['verify-full', 'db', {}],
])('TLS of sslmode=%s to %s', (mode, host, expected) => {
  const address = parsePostgresUrl(`postgres://db/mishap?sslmode=${mode}`)
  expect(address && tlsOptions(address, host)).toEqual(expected)
})

test('a file of certificates makes `require` verify, and a missing one throws', () => {
  const file = new URL(import.meta.url).pathname
  const address = parsePostgresUrl(`postgres://db/mishap?sslmode=require&sslrootcert=${file}`)
  expect(address && tlsOptions(address, 'db')).toMatchObject({
    ca: expect.stringContaining('vitest'),
    checkServerIdentity: expect.any(Function),
  })
  const absent = parsePostgresUrl('postgres://db/mishap?sslmode=verify-full&sslrootcert=/absent.pem')
  expect(() => absent && tlsOptions(absent, 'db')).toThrow('ENOENT')
})
