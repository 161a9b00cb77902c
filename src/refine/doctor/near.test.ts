import { expect, test } from 'vitest'
import { areSimilar, namesLike } from './near.ts'

test.each([
  ['shop@1.2.3', '1.2.3', true],
  ['shop@1.2.3', 'v1.2.3', true],
  ['v1.2.3', '1.2.3', true],
  ['Shop@1.2.3', 'shop@1.2.3 ', true],
  ['shop@1.2.3+5', 'shop@1.2.3', true],
  ['shop@1.2.3+5', '1.2.3', true],
  ['4f2a91c', '4f2a91c0aa11bb22cc33dd44ee55ff6677889900', true],
  ['shop@4f2a91c0aa11bb22cc33dd44ee55ff6677889900', '4f2a91c', true],
  ['shop@1.2.3', 'shop@1.2.4', false],
  ['shop@1.2.3', 'api@1.2.3', false],
  ['shop@1.2.3+5', 'shop@1.2.3+6', false],
  ['1.2', '1.2.3', false],
  ['4f2a91', '4f2a91c0aa11bb22cc33dd44ee55ff6677889900', false],
  ['', 'shop@1.2.3', false],
])('%s and %s may be one release: %s', (entry, two, alike) => {
  expect([areSimilar(entry, two), areSimilar(two, entry)]).toEqual([alike, alike])
})

test.each([
  ['index-BxZ81kq2.js', ['index-BxZ81kq2.js', 'index*.js']],
  ['page-1a2b3c4d5e6f7081.js', ['page-1a2b3c4d5e6f7081.js', 'page*.js']],
  ['main.4f2a91c0.min.js', ['main.4f2a91c0.min.js', 'main*.min.js']],
  ['chart-module2.js', ['chart-module2.js']],
  ['app-userSettings.js', ['app-userSettings.js']],
  ['app-UserSettings.js', ['app-UserSettings.js']],
  ['polyfills-legacy.js', ['polyfills-legacy.js']],
])('names like %s: %j', (name, names) => {
  expect(namesLike(`https://shop.test/assets/${name}?v=1`)).toEqual(names)
})
