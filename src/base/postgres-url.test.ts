import { expect, test } from 'vitest'
import { parsePostgresUrl, withoutPassword } from './postgres-url.ts'

const parsed = {
  hosts: [{ host: 'db', port: 5432 }],
  user: '',
  password: '',
  database: 'mishap',
  pool: 10,
  sslMode: 'prefer',
  sslRootCert: '',
}

test.each([
  ['postgres://db/mishap', parsed],
  [
    'postgresql://me:p%40ss@db:5433/mishap',
    { ...parsed, hosts: [{ host: 'db', port: 5433 }], user: 'me', password: 'p@ss' },
  ],
  [
    'postgres://me@a:1,b,[::1]:3/mishap?target_session_attrs=read-write&sslmode=verify-full&sslrootcert=/ca.pem&pool=20',
    {
      ...parsed,
      hosts: [
        { host: 'a', port: 1 },
        { host: 'b', port: 5432 },
        { host: '::1', port: 3 },
      ],
      user: 'me',
      pool: 20,
      sslMode: 'verify-full',
      sslRootCert: '/ca.pem',
    },
  ],
  [
    'postgres:///mishap?host=/run/postgresql&port=5433',
    { ...parsed, hosts: [{ host: '/run/postgresql', port: 5433 }] },
  ],
  ['mysql://db/mishap', undefined],
  ['postgres://db', undefined],
  ['postgres:///mishap', undefined],
  ['postgres://db:99999/mishap', undefined],
  ['postgres://a,,b/mishap', undefined],
  ['postgres://%zz:x@db/mishap', undefined],
  ['postgres://db/mishap?pool=1', undefined],
  ['postgres://db/mishap?pool=x', undefined],
  ['postgres://db/mishap?sslmode=verify', undefined],
  ['postgres://db/mishap?ssl_mode=verify-full', undefined],
  ['postgres://db/mishap?target_session_attrs=any', undefined],
])('%s', (url, expected) => {
  expect(parsePostgresUrl(url)).toEqual(expected)
})

test.each([
  ['postgres://me:secret@db/mishap', 'postgres://me:***@db/mishap'],
  ['postgres://me:se:cr/et@db/mishap', 'postgres://me:***@db/mishap'],
  ['postgres://me@db/mishap', 'postgres://me@db/mishap'],
])('%s without its password', (url, expected) => {
  expect(withoutPassword(url)).toBe(expected)
})
