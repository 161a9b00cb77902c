import { expect, test } from 'vitest'
import { unmetKeys } from './search.ts'

test.each<[string, string[]]>([
  ['is:unresolved detector:cron stack.lineno:>5 detector:x', ['detector', 'stack.lineno']],
  ['measurements.lcp:>2s transaction.duration:>1s', ['measurements.lcp', 'transaction.duration']],
  ['p95(transaction.duration):>1s x', ['p95(transaction.duration)']],
  ['"stack.colno":1 has:detector', ['stack.colno', 'detector']],
  ['detector:x OR zzz', ['detector']],
  // All errors match a negated one, and events with a tag of that name match the tag.
  ['!detector:x !(stack.lineno:5 zzz) tags[detector]:x detector', []],
  ['!(!detector:x)', ['detector']],
  ['release:web@1 stack.function:pay release.stage:low anything:x', []],
  ['level:[ detector:x', []],
  ['', []],
])('keys of %j that no error has', (text, keys) => {
  expect(unmetKeys(text)).toEqual(keys)
})
