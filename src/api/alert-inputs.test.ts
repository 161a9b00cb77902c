import { beforeAll, describe, expect, test } from 'vitest'
import { appForFile } from './app.cases.ts'

const { made, call } = appForFile()
const O = '/organizations/acme'
/** One object of each kind, with the id 1, so that an id that is read carelessly finds it. */
beforeAll(async () => {
  const rule = { name: 'First', issue: { when: [{ type: 'new' }] } }
  const rota = { name: 'Nights', timeZone: 'UTC', members: [] }
  const mute = { kind: 'organization', name: 'Move' }
  const channel = { kind: 'slack', name: 'Chat', target: 'https://chat.test/x' }
  for (const [path, body] of [
    ['alerts', rule],
    ['on-call-schedules', rota],
    ['mutes', mute],
    ['notification-channels', channel],
  ] as const)
    expect([path, (await call('POST', `${O}/${path}/`, { body })).status]).toEqual([path, 201])
  expect((await call('POST', `${O}/notification-channels/1/test/`)).status).toBe(200)
})

/** Paths with an id, and the method that acts on it. */
const paths: [method: string, path: string, body?: object][] = [
  ['GET', 'alerts/ID/'],
  ['PUT', 'alerts/ID/', { name: 'x' }],
  ['DELETE', 'alerts/ID/'],
  ['GET', 'incidents/ID/'],
  ['PUT', 'incidents/ID/', { status: 'resolved' }],
  ['DELETE', 'mutes/ID/'],
  ['GET', 'on-call-schedules/ID/'],
  ['PUT', 'on-call-schedules/ID/', { name: 'x' }],
  ['DELETE', 'on-call-schedules/ID/'],
  ['DELETE', 'on-call-schedules/1/overrides/ID/'],
  ['PUT', 'notification-channels/ID/', { name: 'x' }],
  ['DELETE', 'notification-channels/ID/'],
  ['GET', 'notification-channels/ID/deliveries/'],
  ['POST', 'notification-channels/1/deliveries/ID/send-again/'],
  ['DELETE', 'invitations/ID/'],
]
const wrongIds = [
  '0',
  '-1',
  '1.5',
  '1e0',
  '0x1',
  '+1',
  '01x',
  ' 1',
  'NaN',
  'Infinity',
  '9'.repeat(15),
  '9'.repeat(40),
  '%00',
  'null',
]

describe('an id that names nothing is 404', () => {
  test.each(paths)('%s %s', async (method, path, body) => {
    const wrong: unknown[] = []
    for (const id of wrongIds) {
      const { status } = await call(method, `${O}/${path.replace('ID', encodeURI(id))}`, body ? { body } : {})
      if (status !== 404) wrong.push([id, status])
    }
    expect(wrong).toEqual([])
  })
})

/** Routes with a body, and a body that is right. */
const writes: [method: string, path: string, right: Record<string, unknown>][] = [
  ['POST', 'alerts/', { name: 'New', issue: { when: [{ type: 'new' }] } }],
  ['PUT', 'alerts/1/', { name: 'New' }],
  ['POST', 'mutes/', { kind: 'organization', name: 'New' }],
  ['POST', 'on-call-schedules/', { name: 'New', timeZone: 'UTC', members: [] }],
  ['PUT', 'on-call-schedules/1/', { name: 'New' }],
  ['POST', 'notification-channels/', { kind: 'slack', name: 'New', target: 'https://chat.test/x' }],
  ['PUT', 'notification-channels/1/', { name: 'New' }],
]

describe('a body of another shape is 400', () => {
  const hostile = ['', '{', 'null', '[]', '7', '"x"', '{"name":', '[{"name":"x"}]', '\u0000']
  test.each(writes)('%s %s', async (method, path) => {
    const wrong: unknown[] = []
    for (const body of hostile) {
      const { status } = await call(method, `${O}/${path}`, { body })
      if (status !== 400) wrong.push([body, status])
    }
    expect(wrong).toEqual([])
  })

  test.each(writes)('%s %s: a name of another type, empty or with control characters', async (method, path, right) => {
    const wrong: unknown[] = []
    for (const name of [null, 7, true, [], {}, ['x'], '', '   ', 'a\nb', 'a\u0000b', 'x'.repeat(10_000)]) {
      const { status } = await call(method, `${O}/${path}`, { body: { ...right, name } })
      if (status !== 400) wrong.push([name, status])
    }
    expect(wrong).toEqual([])
  })

  test.each<[string, string, Record<string, unknown>]>([
    ['POST', 'mutes/', { kind: 'planet', name: 'x' }],
    ['POST', 'mutes/', { kind: 'project', target: 1, name: 'x' }],
    ['POST', 'mutes/', { kind: 'project', target: '1.0', name: 'x' }],
    ['POST', 'mutes/', { kind: 'project', target: '9'.repeat(16), name: 'x' }],
    ['POST', 'mutes/', { kind: 'organization', name: 'x', end: 'soon' }],
    ['POST', 'mutes/', { kind: 'organization', name: 'x', end: 4_000_000_000_000 }],
    ['POST', 'mutes/', { kind: 'organization', name: 'x', end: '2999-13-01T00:00:00Z' }],
    ['POST', 'on-call-schedules/', { name: 'x', timeZone: 'UTC', members: 'ann' }],
    ['POST', 'on-call-schedules/', { name: 'x', timeZone: 'UTC', members: [7] }],
    ['POST', 'on-call-schedules/', { name: 'x', timeZone: 'UTC', members: [], handOverDay: 0 }],
    ['POST', 'on-call-schedules/', { name: 'x', timeZone: 'UTC', members: [], handOverDay: 8 }],
    ['POST', 'on-call-schedules/', { name: 'x', timeZone: 'UTC', members: [], handOverDay: 1.5 }],
    ['POST', 'on-call-schedules/', { name: 'x', timeZone: 'UTC', members: [], handOverTime: '24:00' }],
    ['POST', 'on-call-schedules/', { name: 'x', timeZone: 'UTC', members: [], handOverTime: '9:00' }],
    ['POST', 'on-call-schedules/', { name: 'x', timeZone: 'UTC', members: [], handOverTime: '09:00\n' }],
    ['POST', 'on-call-schedules/', { name: 'x', timeZone: 'UTC', members: [], startDate: '2026-02-30' }],
    ['POST', 'on-call-schedules/', { name: 'x', timeZone: 'UTC', members: [], startDate: 'today' }],
    ['POST', 'on-call-schedules/1/overrides/', { person: 'ann', start: 7, end: 8 }],
    ['POST', 'on-call-schedules/1/overrides/', { person: '', start: '2998-01-01', end: '2998-01-02' }],
    ['PUT', 'on-call-schedules/1/', { name: 'x', revision: -1 }],
    ['PUT', 'on-call-schedules/1/', { name: 'x', revision: '1' }],
    ['PUT', 'on-call-schedules/1/', {}],
  ])('%s %s %j', async (method, path, body) => {
    expect((await call(method, `${O}/${path}`, { body })).status).toBe(400)
  })

  test('nothing of it was stored', async () => {
    const { app } = made()
    const { meta } = app
    expect((await meta.incidents.listMutes(1)).map(({ name }) => name)).toEqual(['Move'])
    expect((await meta.incidents.listSchedules(1)).map(({ name, rev }) => [name, rev])).toEqual([['Nights', 0]])
    expect((await Array.fromAsync(await meta.alerts.channelsOf(1))).map(({ name }) => name)).toEqual(['Chat'])
  })
})

test.each(['0', '101x', '-5', '1.5', 'x'])('a page of %s rows is refused', async (limit) => {
  for (const path of ['alerts', 'incidents', 'notification-channels/1/deliveries'])
    expect((await call('GET', `${O}/${path}/?limit=${limit}`)).status).toBe(400)
})

test('an outdated schedule is 409 by its revision and by If-Match, and the right one passes', async () => {
  const put = (body: object, headers = {}) => call('PUT', `${O}/on-call-schedules/1/`, { body, headers })
  expect((await put({ name: 'Days', revision: 0 })).json).toMatchObject({ name: 'Days', revision: 1 })
  expect((await put({ name: 'x', revision: 0 })).status).toBe(409)
  expect((await put({ name: 'x' }, { 'if-match': '"0"' })).status).toBe(409)
  expect((await put({ name: 'Nights' }, { 'if-match': '"1"' })).json).toMatchObject({ name: 'Nights', revision: 2 })
})
