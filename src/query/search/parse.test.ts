import { expect, test } from 'vitest'
import { MishapError } from '../../base/errors.ts'
import { parseSearch } from './parse.ts'
import { short } from './tree.cases.ts'

test.each([
  ['', '-'],
  ['   ', '-'],
  ['""', '-'],
  ['hello', 'hello'],
  ['  hello   there ', '(hello & there)'],
  ['"hello there"', '"hello there"'],
  ['"say \\"hi\\""', '"say "hi""'],
  ['end"', 'end"'],
  ['"beginning', '"beginning'],
  ['"', '"'],
  ['fruit:apple', 'tag fruit=apple'],
  ['!fruit:apple', '!tag fruit=apple'],
  ['fruit:"red apple" rest', '(tag fruit=red apple & rest)'],
  ['fruit:[apple, pear,"red pear"]', 'tag fruit=apple/pear/red pear'],
  ['!level:[error,fatal]', '!level=error/fatal'],
  ['tags[level]:x', 'tag level=x'],
  ['tags["a b"]:x', 'tag a b=x'],
  ['tags[size,number]:5', 'tag size=5'],
  ['tags[size,string]:5', 'tag size=5'],
  ['flags["new cart"]:true', 'tag flags[new cart]=true'],
  ['"hi:there":x', 'tag hi:there=x'],
  ['has:release !has:fruit', '(has release & !has tag fruit)'],
  ['has:"hi there"', 'has tag hi there'],
  ['title:*Error', 'title=~*Error'],
  ['title:a\\*b', 'title=a*b'],
  ['fruit:""', 'tag fruit='],
  ['is:unresolved is:for_review', '(is unresolved & is for_review)'],
  ['is:IGNORED', 'is ignored'],
  ['assigned:me', 'assigned=me'],
  ['firstSeen:-24h', 'firstSeen>=now-24h'],
  ['first_seen:+7d', 'firstSeen<=now-168h'],
  ['age:-2w', 'age>=now-336h'],
  ['last_seen():+7d', 'lastSeen<=now-168h'],
  ['lastSeen:>2026-01-31', 'lastSeen>2026-01-31T00:00:00.000Z'],
  ['lastSeen:2026-01-31', '(lastSeen>=2026-01-31T00:00:00.000Z & lastSeen<2026-02-01T00:00:00.000Z)'],
  ['timestamp:<=2026-01-31T12:00:00+02:00', 'timestamp<=2026-01-31T10:00:00.000Z'],
  ['random:-2w', 'tag random=-2w'],
  ['timesSeen:>10', 'timesSeen>10'],
  ['timesSeen:>=2k', 'timesSeen>=2000'],
  ['issue.id:[1,2]', '(issue.id=1 | issue.id=2)'],
  ['issue:WEB-42', 'issue=WEB-42'],
  ['error.unhandled:1 stack.in_app:FALSE', '(error.unhandled is true & stack.in_app is false)'],
  ['transaction.duration:>1.5s', 'transaction.duration>1500 duration'],
  ['percentile(measurements.fp, 0.5):>3.3s', 'percentile(measurements.fp,0.5)()>3300 duration'],
  ['!p95():[1s, 2s]', '!(p95()()=1000 duration | p95()()=2000 duration)'],
  ['failure_rate():>5%', 'failure_rate()()>5 percent'],
  ['min(measurements.size):3s', 'min(measurements.size):3s'],
  ['title:\uf00dContains\uf00dcart', 'title=~*cart*'],
  ['tags[size, number]:!=5', '(tag size<5 | tag size>5)'],
  ['a* b\\*', '(~a* & b*)'],
  ['avg(transaction.duration):>..500s', 'avg(transaction.duration):>..500s'],
  ['a OR b', '(a | b)'],
  ['a b OR c AND d', '((a & b) | (c & d))'],
  ['(a OR b) c', '((a | b) & c)'],
  ['((a))', 'a'],
  ['!(a OR b) c', '(!(a | b) & c)'],
  ['(level:error OR level:fatal) !is:resolved', '((level=error | level=fatal) & !is resolved)'],
  ['f(x) g', '(f(x) & g)'],
  ['ORDER ANDROID', '(ORDER & ANDROID)'],
  ['url:"te"st', '(url=te & st)'],
  ['""woof"', 'woof"'],
  ['device.family:te\\"st', 'tag device.family=te"st'],
  ['release:a\trelease', '(release=a & release)'],
  ['release:"a\nb"', 'release=a\nb'],
])('%j reads as %s', (text, tree) => {
  expect(short(parseSearch(text))).toBe(tree)
})

test.each([
  ['device.family:', 'QUERY_SYNTAX', 15, 'a value for device.family'],
  ['a device.family:"test', 'QUERY_SYNTAX', 17, 'closing quote'],
  ['url:test"', 'QUERY_SYNTAX', 9, 'quotes around'],
  ['OR', 'QUERY_SYNTAX', 1, 'a term beside OR'],
  ['a OR OR b', 'QUERY_SYNTAX', 6, 'a term beside OR'],
  ['a OR', 'QUERY_SYNTAX', 5, 'a term beside OR'],
  ['AND a', 'QUERY_SYNTAX', 1, 'a term before AND'],
  ['a AND', 'QUERY_SYNTAX', 6, 'a term after AND'],
  ['(a', 'QUERY_SYNTAX', 3, ') for the ( at position 1'],
  // Positions count characters: one beyond the first plane counts once.
  ['"🎉" (a', 'QUERY_SYNTAX', 7, ') for the ( at position 5'],
  ['größe 日本 🎉 timesSeen:abc', 'QUERY_TYPE', 22, 'a number, such as 10, >10 or 2k'],
  ['a)', 'QUERY_SYNTAX', 2, 'closes nothing'],
  ['()', 'QUERY_SYNTAX', 2, 'a term inside'],
  ['a:[x,,y]', 'QUERY_SYNTAX', 6, 'a value in the list'],
  ['level:[error warning]', 'QUERY_SYNTAX', 14, ', or ] in the list'],
  ['a:[x', 'QUERY_SYNTAX', 5, ', or ]'],
  ['release:a\nrelease', 'QUERY_SYNTAX', 10, 'no line break'],
  ['is:lost', 'QUERY_TYPE', 4, 'one of unresolved'],
  ['timesSeen:many', 'QUERY_TYPE', 11, 'a number'],
  ['stack.in_app:lol', 'QUERY_TYPE', 14, 'true, 1'],
  ['stack.in_app:>true', 'QUERY_TYPE', 14, 'true, 1'],
  ['tags[size,number]:big', 'QUERY_TYPE', 19, 'a number'],
  ['measurements.cls:3s', 'QUERY_TYPE', 18, 'a number'],
  ['lastSeen:soon', 'QUERY_TYPE', 10, 'a date'],
  ['lastSeen:2026-13-41', 'QUERY_TYPE', 10, 'a date'],
  ['transaction.duration:>..500s', 'QUERY_TYPE', 22, 'a number with ms'],
  ['TypeError: x', 'QUERY_SYNTAX', 11, 'put quotes around'],
])('%j is refused with %s at %i', (text, code, position, expected) => {
  let thrown: unknown
  try {
    parseSearch(text)
  } catch (error) {
    thrown = error
  }
  if (!(thrown instanceof MishapError)) throw new Error(`not refused: ${String(thrown)}`)
  expect(thrown.code).toBe(code)
  expect(thrown.message).toMatch(/^Invalid query/)
  expect(thrown.message).toContain(`position ${position},`)
  expect(thrown.message).toContain(expected)
})

test.each([
  ['x'.repeat(4097)],
  [Array.from({ length: 101 }, () => 'x').join(' ')],
  [`${'('.repeat(21)}x${')'.repeat(21)}`],
  [Array.from({ length: 3 }, (_, n) => `a:[${Array.from({ length: 67 }, (_, i) => n + i)}]`).join(' ')],
])('too long is refused (case %#)', (text) => {
  expect(() => parseSearch(text)).toThrow(expect.objectContaining({ code: 'QUERY_TOO_LONG' }))
})
