import { expect, test } from 'vitest'
import { slackPieces } from './slack-text.ts'

test('links are their labels and escapes are characters', () => {
  expect(slackPieces('*<https://m.test/o/acme|New issue &lt;b&gt; &amp;lt;>*')).toEqual([
    { text: 'New issue <b> &lt;', isLink: true, isStrong: true },
  ])
  expect(slackPieces('a <https://m.test|b> c')).toEqual([
    { text: 'a ', isLink: false, isStrong: false },
    { text: 'b', isLink: true, isStrong: false },
    { text: ' c', isLink: false, isStrong: false },
  ])
  expect(slackPieces('shop@\u200b4.18.0')).toEqual([{ text: 'shop@4.18.0', isLink: false, isStrong: false }])
  expect(slackPieces('')).toEqual([])
})
