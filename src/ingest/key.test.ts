import { expect, test } from 'vitest'
import { noKeys } from '../auth/keys.ts'
import { findKey, findKeyByDsn } from './key.ts'
import { otherKey, publicKey } from './rig.cases.ts'

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
