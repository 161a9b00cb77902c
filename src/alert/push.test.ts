import { describe, expect, test } from 'vitest'
import { createPush, pushRecipientsIn } from './push.ts'

const browser = { endpoint: 'https://push.test/a', p256dh: 'p', auth: 'a' }

/** The parts of meta that push messages read, in memory. */
function rig({ url = 'https://m.test', key = 'a' } = {}) {
  const values = new Map<string, string>()
  const deleted: [number, number][] = []
  const secrets = { key }
  const meta = {
    values: {
      getValue: async (name: string) => values.get(name),
      setValue: async (name: string, text: string) => void values.set(name, text),
    },
    pushBrowsers: {
      browserById: async (id: number) =>
        id === 4
          ? { id, userId: 'ann', sealed: `${secrets.key}:${JSON.stringify(browser)}`, browser: '', createdMs: 0 }
          : undefined,
      browsersOf: async (ids: readonly string[]) =>
        ids.map((userId, at) => ({ id: at + 4, userId, sealed: '', browser: '', createdMs: 0 })),
      endBrowser: async (id: number, atMs: number) => void deleted.push([id, atMs]),
    },
    organizations: { membersOf: async () => [{ userId: 'ann' }, { userId: 'bob' }] },
  }
  const deps = {
    meta,
    url,
    clock: { now: () => 5 },
    seal: (text: string) => `${secrets.key}:${text}`,
    open: (sealed: string) => {
      if (!sealed.startsWith(`${secrets.key}:`)) throw new Error('wrong key')
      return sealed.slice(secrets.key.length + 1)
    },
  } as unknown as Parameters<typeof createPush>[0]
  return { push: createPush(deps), deps, values, deleted, secrets }
}

describe('the key pair of an installation', () => {
  test('is created once and stored sealed', async () => {
    const { push, deps, values } = rig()
    const key = await push.publicKey()
    expect(Buffer.from(key, 'base64url')).toHaveLength(65)
    expect(await push.publicKey()).toBe(key)
    expect(await createPush(deps).publicKey()).toBe(key)
    expect(values.get('push_keys')).toMatch(/^a:/)
  })

  test('is created again when the secrets of the data folder have changed', async () => {
    const { push, secrets } = rig()
    const key = await push.publicKey()
    secrets.key = 'b'
    expect(await push.publicKey()).not.toBe(key)
  })
})

test('a browser is opened, and forgotten when its service says so', async () => {
  const { push, deleted } = rig()
  expect(await push.browser(4)).toEqual({ id: 4, ...browser })
  expect(await push.browser(5)).toBeUndefined()
  await push.forget(4)
  expect(deleted).toEqual([[4, 5]])
})

test('the browsers of all members are the recipients', async () => {
  expect(await pushRecipientsIn(rig().deps, 1)).toEqual(['4', '5'])
})
