import { expect, test } from 'vitest'
import { unmetKeys } from './search.ts'

test.each<[string, string[]]>([
  ['is:unresolved release.stage:adopted stack.lineno:>5 release.stage:low', ['release.stage', 'stack.lineno']],
  ['measurements.lcp:>2s transaction.duration:>1s', ['measurements.lcp', 'transaction.duration']],
  ['p95(transaction.duration):>1s x', ['p95(transaction.duration)']],
  ['"release.stage":x has:detector', ['release.stage', 'detector']],
  ['release.stage:x OR zzz', ['release.stage']],
  // All errors match a negated one, and events with a tag of that name match the tag.
  ['!detector:x !(release.stage:adopted zzz) tags[detector]:x detector', []],
  ['!(!detector:x)', ['detector']],
  ['release:web@1 stack.function:pay anything:x', []],
  ['level:[ release.stage:x', []],
  ['', []],
])('keys of %j that no error has', (text, keys) => {
  expect(unmetKeys(text)).toEqual(keys)
})
