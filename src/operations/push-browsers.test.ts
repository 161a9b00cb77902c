import { createECDH } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Actor } from '../auth/auth.ts'
import { addPushBrowser, removePushBrowser } from './push-browsers.ts'
import { endOf, operationRig } from './rig.cases.ts'

const fresh = operationRig()
const person = (id: string): Actor => ({ kind: 'session', person: { id, name: id, email: `${id}@x.test` } })
const [ann, bob] = [person('ann'), person('bob')]
const browser = (endpoint = 'https://push.test/a') => ({
  endpoint,
  p256dh: createECDH('prime256v1').generateKeys().toString('base64url'),
  auth: Buffer.alloc(16, 1).toString('base64url'),
  userAgent: '',
})

describe('a browser', () => {
  test('is stored sealed, under a name', async () => {
    const deps = await fresh()
    const text = browser()
    const added = await addPushBrowser(deps, ann, text)
    expect(added).toMatchObject({ userId: 'ann', browser: 'Browser' })
    expect(added.sealed).not.toContain('push.test')
    expect(JSON.parse(deps.seal.open(added.sealed))).toEqual({
      endpoint: text.endpoint,
      p256dh: text.p256dh,
      auth: text.auth,
    })
  })

  test('that another person signs in with belongs to that person only', async () => {
    const deps = await fresh()
    await addPushBrowser(deps, ann, browser())
    await addPushBrowser(deps, bob, browser())
    expect(await deps.meta.pushBrowsers.browsersOf(['ann'])).toEqual([])
    expect(await deps.meta.pushBrowsers.browsersOf(['ann', 'bob'])).toHaveLength(1)
    expect(await deps.meta.pushBrowsers.browsersOf([])).toEqual([])
  })

  test.each([
    ['an address without TLS', { endpoint: 'http://push.test/' }, ['endpoint']],
    ['an address that is too long', { endpoint: `https://push.test/${'x'.repeat(1000)}` }, ['endpoint']],
    ['no address', { endpoint: 'push' }, ['endpoint']],
    ['a short key', { p256dh: 'AAAA' }, ['p256dh']],
    ['a key of other characters', { p256dh: '!'.repeat(88) }, ['p256dh']],
    ['a long secret', { auth: Buffer.alloc(17).toString('base64url') }, ['auth']],
    ['nothing at all', { endpoint: '', p256dh: '', auth: '' }, ['auth', 'endpoint', 'p256dh']],
  ])('with %s is refused', async (_says, change, fields) => {
    const deps = await fresh()
    const [code, named] = (await endOf(() => addPushBrowser(deps, ann, { ...browser(), ...change }))) ?? []
    expect([code, [...(named as string[])].sort()]).toEqual(['VALIDATION', fields])
    expect(await deps.meta.pushBrowsers.browsersOf(['ann'])).toEqual([])
  })

  test('is one of at most 20', async () => {
    const deps = await fresh()
    for (let count = 0; count < 20; count++) await addPushBrowser(deps, ann, browser(`https://push.test/${count}`))
    expect(await endOf(() => addPushBrowser(deps, ann, browser('https://push.test/x')))).toEqual([
      'VALIDATION',
      ['endpoint'],
    ])
    expect((await addPushBrowser(deps, bob, browser('https://push.test/y'))).userId).toBe('bob')
  })

  test('that is gone gets no messages, is shown with the time, and leaves when it subscribes again', async () => {
    const deps = await fresh()
    const { id } = await addPushBrowser(deps, ann, browser())
    await deps.meta.pushBrowsers.endBrowser(id, 77)
    expect(await deps.meta.pushBrowsers.browsersOf(['ann'])).toEqual([])
    expect(await deps.meta.pushBrowsers.goneBrowsersOf('ann')).toMatchObject([{ id, userId: 'ann', goneMs: 77 }])
    expect(await deps.meta.pushBrowsers.goneBrowsersOf('bob')).toEqual([])
    expect((await deps.meta.pushBrowsers.browserById(id))?.sealed).toBe('')
    const again = await addPushBrowser(deps, ann, browser('https://push.test/new'))
    expect(await deps.meta.pushBrowsers.goneBrowsersOf('ann')).toEqual([])
    expect((await deps.meta.pushBrowsers.browsersOf(['ann'])).map((found) => found.id)).toEqual([again.id])
  })

  test('is removed by its person only', async () => {
    const deps = await fresh()
    const { id } = await addPushBrowser(deps, ann, browser())
    expect((await endOf(() => removePushBrowser(deps, bob, id)))?.[0]).toBe('NOT_FOUND')
    expect(await deps.meta.pushBrowsers.browserById(id)).toBeDefined()
    await removePushBrowser(deps, ann, id)
    expect(await deps.meta.pushBrowsers.browserById(id)).toBeUndefined()
    expect((await endOf(() => removePushBrowser(deps, ann, id)))?.[0]).toBe('NOT_FOUND')
  })
})
