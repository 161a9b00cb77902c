import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import { silent } from '../src/base/observe.ts'
import { openJournalReader, openJournalWriter } from '../src/journal/files.ts'
import type { RecordHead } from '../src/journal/journal.ts'

/** Appends bodies of `bodyBytes` with `inFlight` in parallel for `runMs`. Prints appends/s, then the reader's rate. */
async function measure(bodyBytes: number, inFlight: number, runMs: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-bench-'))
  const options = { folder, bytesMax: 8e9, diskReserveBytes: 0, groupMs: 1, clock: systemClock, observe: silent }
  const writer = await openJournalWriter(options)
  const head: RecordHead = {
    kind: 'envelope',
    receivedMs: 1_795_000_000_000,
    projectId: 1,
    organizationId: 1,
    keyId: 1,
    clientAddress: '203.0.113.7',
    userAgent: 'sentry.javascript.browser/11.12.0',
    origin: 'https://shop.example',
    contentType: 'text/plain',
  }
  const body = Buffer.alloc(bodyBytes, 'mishap ')
  const start = performance.now()
  let appended = 0
  let slowestMs = 0
  const client = async () => {
    while (performance.now() - start < runMs) {
      const began = performance.now()
      await writer.append(head, body)
      slowestMs = Math.max(slowestMs, performance.now() - began)
      // Trim records that are 256 MiB old, like an installation in which processing keeps up.
      if (++appended % 2000 === 0) await writer.trim(writer.durable() - 2 ** 28)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, client))
  const tookMs = performance.now() - start
  const reader = openJournalReader(folder)
  const readStart = performance.now()
  let read = 0
  for (let at = 0; ; ) {
    const found = reader.read(at, writer.durable(), 1000, 8 * 1024 * 1024)
    if (found.next === at) break
    read += found.records.length
    at = found.next
  }
  const readMs = performance.now() - readStart
  reader.close()
  await writer.close()
  rmSync(folder, { recursive: true })
  const rate = (count: number, ms: number) => Math.round((count * 1000) / ms)
  console.log(
    `journal ${bodyBytes} B, ${inFlight} in flight: ${rate(appended, tookMs)} synced appends/s, slowest ${slowestMs.toFixed(1)} ms; read ${rate(read, readMs)} records/s`,
  )
}

await measure(2_000, 64, 3000)
await measure(14_000, 64, 3000)
await measure(14_000, 1, 1000)
