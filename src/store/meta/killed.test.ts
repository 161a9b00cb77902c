import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { effect, nowMs, stored, withProject } from './fixture.cases.ts'
import { openSqliteMeta } from './sqlite.ts'

/** Commits batches of ten events for ever, printing each committed cursor. */
const writer = (file: string) => `
import { writeSync } from 'node:fs'
const { openSqliteMeta } = await import(${JSON.stringify(new URL('./sqlite.ts', import.meta.url).href)})
const { systemClock } = await import(${JSON.stringify(new URL('../../base/clock.ts', import.meta.url).href)})
const meta = await openSqliteMeta(${JSON.stringify(file)}, { clock: systemClock })
const event = ${JSON.stringify(effect())}
const outcome = ${JSON.stringify(stored)}
for (const left of await meta.batches.openBatches()) await meta.batches.commitBatch(left, { events: Array(10).fill(event), attachments: [], dead: [], outcomes: Array(10).fill(outcome) }, ${nowMs})
for (;;) {
  const from = await meta.batches.cursor('events')
  await meta.batches.commitBatch(await meta.batches.openBatch(from, from + 10), { events: Array(10).fill(event), attachments: [], dead: [], outcomes: Array(10).fill(outcome) }, ${nowMs})
  writeSync(1, (await meta.batches.cursor('events')) + '\\n')
}`

test('kill -9 amid commits: what was answered stays, counters and cursor agree', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-meta-'))
  const file = join(folder, 'meta.sqlite')
  const first = await withProject(await openSqliteMeta(file, { clock: systemClock }))
  await first.close()
  for (let round = 0; round < 2; round++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', writer(file)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (text: Buffer) => {
        said += text.toString()
        if (said.split('\n').length > 20 + round * 7) child.kill('SIGKILL')
      })
      child.on('close', () => resolve())
    })
    const acknowledged = Number(said.trimEnd().split('\n').at(-1))
    const meta = await openSqliteMeta(file, { clock: systemClock })
    const cursor = await meta.batches.cursor('events')
    expect(cursor).toBeGreaterThanOrEqual(acknowledged)
    expect((await meta.issues.issueById(1))?.count).toBe(cursor)
    expect((await meta.ledger.outcomesSince({ fromMs: 0 }))[0]?.quantity).toBe(cursor)
    expect((await meta.batches.openBatches()).length).toBeLessThanOrEqual(1)
    await meta.close()
  }
  rmSync(folder, { recursive: true, force: true })
}, 60_000)
