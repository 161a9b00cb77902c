import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testClock } from './clock.ts'
import { cleanMappings, keepMappingsSmall } from './mapped-pages.ts'

const mebibyte = 1024 * 1024
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A mapping as /proc/PID/smaps shows it. `changes`: its other numbers, in kB; null leaves one out. */
function mapping(head: string, changes: Record<string, number | null> = {}): string {
  const numbers = { Size: 4096, Rss: 2048, Pss: 900, Anonymous: 0, AnonHugePages: 0, Swap: 0, SwapPss: 0, ...changes }
  const lines = Object.entries(numbers).map(([name, kB]) => (kB === null ? '' : `${`${name}:`.padEnd(16)}${kB} kB\n`))
  return `${head}\n${lines.join('')}VmFlags: rd ex mr mw me\n`
}

const line = (rights: string, file: string) =>
  `7f2e1000-7f2e5000 ${rights} 00001000 fd:00 4711                       ${file}`
const library = (rights: string) => line(rights, '/opt/lib/libx.so')
/** Code of two libraries, little of it in memory. It says that their other mappings are those of a program, too. */
const code = ['/opt/lib/libx.so', '/opt/lib/libx.so 2 (deleted)']
  .map((file) => mapping(`5000-6000 r-xp 00000000 fd:00 4711          ${file}`, { Rss: 8 }))
  .join('')
const range = { address: 0x7f2e1000n, bytes: 0x4000n }

test.each([
  ['code', mapping(library('r-xp')), [range]],
  ['constants', mapping(library('r--p')), [range]],
  ['a shared mapping', mapping(library('r--s')), []],
  ['a file that is no program', mapping(line('r--p', '/data/engine/data.bin')), []],
  ['a name with blanks, replaced since', mapping(`${library('r-xp')} 2 (deleted)`), [range]],
  ['pages that the loader has changed', mapping(library('r--p'), { Anonymous: 4 }), []],
  ['changed pages in the swap', mapping(library('r--p'), { Swap: 12_764 }), []],
  ['writable data', mapping(library('rw-p')), []],
  ['no rights', mapping(library('---p')), []],
  ['little of it in memory', mapping(library('r-xp'), { Rss: 1020 }), []],
  ['a kernel that does not count changed pages', mapping(library('r--p'), { Anonymous: null }), []],
  ['a kernel that does not count the swap', mapping(library('r--p'), { Swap: null }), []],
  ['memory without a file', mapping('7f2e1000-7f2e5000 r-xp 00000000 00:00 0 '), []],
  ['the kernel’s own', mapping('7f2e1000-7f2e5000 r-xp 00000000 00:00 0                          [vdso]'), []],
])('%s', (_, smaps, expected) => {
  expect(cleanMappings(code + smaps)).toEqual(expected)
  const other = mapping('6000-7000 rw-p 00000000 00:00 0                          [heap]', { Anonymous: 4 })
  expect(cleanMappings(other + smaps + other + code)).toEqual(expected)
})

/** Memory of which 60 MiB come back after it was unmapped. */
function fakeMemory(fails = false) {
  const state = { bytes: 200 * mebibyte, times: 0 }
  const shrink = async () => {
    state.times++
    state.bytes = 60 * mebibyte
    if (fails) throw new Error('no /proc/self/smaps')
  }
  return { state, mappedBytes: () => state.bytes, shrink }
}

test.each([false, true])('a start leaves memory, which is returned once after 10 s; fails: %s', async (fails) => {
  const clock = testClock()
  const memory = fakeMemory(fails)
  keepMappingsSmall(clock, memory)
  clock.advance(9999)
  expect(memory.state.times).toBe(0)
  clock.advance(1)
  await settled()
  expect(memory.state.times).toBe(1)
  clock.advance(3_600_000)
  expect(memory.state.times).toBe(1)
})

test.each([
  ['16 MiB more', 76, 2],
  ['less than 16 MiB more', 75, 1],
])('%s than 10 s after the last time, a minute later', (_, mebibytes, times) => {
  const clock = testClock()
  const memory = fakeMemory()
  keepMappingsSmall(clock, memory)
  clock.advance(20_000)
  memory.state.bytes = mebibytes * mebibyte
  clock.advance(40_000)
  expect(memory.state.times).toBe(1)
  clock.advance(10_000)
  expect(memory.state.times).toBe(times)
})

test('what is mapped again within 10 s is needed, and ends with the program', () => {
  const clock = testClock()
  const memory = fakeMemory()
  const stop = keepMappingsSmall(clock, memory)
  clock.advance(10_000)
  memory.state.bytes = 90 * mebibyte
  clock.advance(600_000)
  expect(memory.state.times).toBe(1)
  stop()
  memory.state.bytes = 200 * mebibyte
  clock.advance(600_000)
  expect(memory.state.times).toBe(1)
})

test.skipIf(process.platform !== 'linux')('a real process with an open engine becomes smaller and goes on', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-mapped-'))
  const program = `
    import { readFileSync } from 'node:fs'
    import { setTimeout as pause } from 'node:timers/promises'
    import { Session } from ${JSON.stringify(import.meta.resolve('chdb'))}
    const { keepMappingsSmall } = await import(${JSON.stringify(new URL('./mapped-pages.ts', import.meta.url).href)})
    const mapped = () => Number(readFileSync('/proc/self/statm', 'utf8').split(' ')[2]) * 4096
    const clock = {}
    keepMappingsSmall({ every: (_, run) => ((clock.check = run), () => {}) })
    const session = new Session(${JSON.stringify(folder)})
    const sum = () =>
      session.query('SELECT sum(sipHash64(number)) % 1000, uniq(toString(number)) FROM numbers(100000)', 'CSV').trim()
    const before = [sum(), mapped()]
    clock.check()
    for (let times = 0; times < 200 && mapped() > before[1] / 2; times++) await pause(100)
    console.log(JSON.stringify({ before, mapped: mapped(), after: sum() }))
    session.cleanup()
  `
  const words = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program]
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  rmSync(folder, { recursive: true, force: true })
  expect(stderr).toBe('')
  const { before, mapped, after } = JSON.parse(stdout)
  expect(after).toBe(before[0])
  expect(after).toMatch(/^\d+,\d+$/)
  expect(mapped).toBeLessThan(before[1] / 2)
})
