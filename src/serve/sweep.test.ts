import { expect, test } from 'vitest'
import { createSweep } from './sweep.ts'

test('buffers that have passed do not wait for V8 to look outside its heap', () => {
  const piece = 64 * 1024
  const swept = createSweep()
  let most = 0
  const before = process.memoryUsage().arrayBuffers
  for (let at = 0; at < 4000; at++) {
    Buffer.from(new ArrayBuffer(piece))
    swept(piece)
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }
  // V8 alone leaves some 64 MB. A sweep leaves at most the bytes since the last one, plus those not freed yet.
  expect(most).toBeLessThan(40 * 1024 * 1024)
})
