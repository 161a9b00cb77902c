import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { root } from '../product.ts'
import { recordPages } from './pages.ts'
import { recordPrograms } from './programs.ts'
import type { Recording } from './recording.ts'
import { openSink } from './sink.ts'

// Records the traces of docs/detectors.md: `node e2e/detectors/record.ts`. It takes some minutes and needs PostgreSQL,
// Chromium and the packages of package.json beside it (`npm ci` here).

const sink = await openSink()
const recordings: Recording[] = []
const only = process.argv[2] ?? ''
if (only !== 'pages') recordings.push(...(await recordPrograms(sink)))
if (only !== 'programs') recordings.push(...(await recordPages(sink)))
sink.close()
const text = recordings
  .toSorted((a, b) => (a.program < b.program ? -1 : 1))
  .map((recording) => `${JSON.stringify(recording)}\n`)
  .join('')
const packed = brotliCompressSync(text, {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  },
})
writeFileSync(join(root, 'fixtures/detectors', only ? `${only}.jsonl.br` : 'traces.jsonl.br'), packed)
console.log(`${recordings.length} traces, ${text.length} bytes, packed ${packed.length}`)
