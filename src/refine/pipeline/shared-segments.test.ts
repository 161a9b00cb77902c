import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSegmentRoutes, shareSegments } from './shared-segments.ts'

const until = async (isSo: () => boolean) => {
  for (let tries = 0; tries < 200 && !isSo(); tries++) await pause(10)
}

test('workers of one journal learn the routes of segments from each other, others do not', async () => {
  const all = [1, 2, 3].map(() => createSegmentRoutes())
  const [one, two, other] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]]
  const channels = [shareSegments(one, '/a'), shareSegments(two, '/a'), shareSegments(other, '/b')]
  one.set('1 aa', '/cart')
  one.set('1 bb', '/orders/[id]')
  one.set('1 aa', '/cart')
  expect(two.get('1 aa')).toBeUndefined()
  channels[0]?.send()
  await until(() => two.get('1 bb') !== undefined)
  expect([two.get('1 aa'), two.get('1 bb'), other.get('1 aa')]).toEqual(['/cart', '/orders/[id]', undefined])
  // What came from another worker is not sent on.
  expect([one.takeNew(), two.takeNew()]).toEqual([[], []])
  two.set('1 aa', '/cart')
  expect(two.takeNew()).toEqual([])
  two.set('1 cc', '/')
  expect(two.takeNew()).toEqual([['1 cc', '/']])
  for (const channel of channels) channel.close()
})

test('a worker without others holds the newest 20,000 segments', () => {
  const routes = createSegmentRoutes()
  for (let n = 0; n < 20_005; n++) routes.set(`1 ${n}`, '/')
  expect([routes.get('1 4'), routes.get('1 5'), routes.takeNew().length]).toEqual([undefined, '/', 20_000])
})
