import { expect, test } from 'vitest'
import { randomOf } from '../../../random.cases.ts'
import { createHosts, type Found, mayHoldHosts } from './hosts.ts'

const top = 'com|net|io|de|local'
/** The two patterns that version 1 was frozen with, and their results. */
const reference = new RegExp(
  String.raw`(\b[\w.+%'-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,6}\b)|\b(?:[A-Za-z0-9-]{1,63}\.){1,6}(?:${top})\b(?![.(]\w|\()`,
  'g',
)
const expected = (text: string): Found[] =>
  [...text.matchAll(reference)].map((found) => ({
    name: found[1] === undefined ? 'hostname' : 'email',
    start: found.index,
    end: found.index + found[0].length,
  }))

function all(text: string): Found[] {
  const next = createHosts(text)
  const out: Found[] = []
  for (let found = next(0); found; found = next(found.end)) out.push(found)
  return out
}

test.each([
  ['', 0],
  ['bob@a.example and x.com', 2],
  ['.a@b.com', 1],
  ['a@b.-- a@b.c--', 1],
  [`${'a'.repeat(64)}@b.com ${'a'.repeat(65)}@b.com`, 2],
  [`${'b'.repeat(63)}.com ${'b'.repeat(64)}.com`, 1],
  [`a.b.c.d.e.f.com a.b.c.d.e.f.g.com`, 2],
  ['x.com( x.com.y x.comb x.com- x.com.', 2],
])('%.40s', (text, count) => {
  expect(all(text)).toHaveLength(count)
  expect(all(text)).toEqual(expected(text))
})

test('finds what the patterns find, and what is asked first lets nothing by', () => {
  const random = randomOf(5)
  const pieces = [
    ['a', '-', '.', '@', 'com', 'local', '(', ' ', '_', '+', 'é', 'x', '1'],
    ['a-', '.', 'com', 'net', '@', 'a.', 'b@', '.io', ')', '(x', "'", '%'],
    ['a'.repeat(63), 'b'.repeat(64), '-', '.', '@', 'com', '.de', 'x'.repeat(60), ' '],
  ]
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  let found = 0
  for (let n = 0; n < 5000; n++) {
    const from = pick(pieces)
    const text = Array.from({ length: 1 + Math.floor(random() * 16) }, () => pick(from)).join('')
    const hosts = all(text)
    expect(hosts, text).toEqual(expected(text))
    if (hosts.length > 0) expect(mayHoldHosts(text)).toBe(true)
    found += hosts.length
  }
  expect(found).toBeGreaterThan(500)
})
