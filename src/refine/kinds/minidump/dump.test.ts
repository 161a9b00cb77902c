import { existsSync, readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { moduleAt, readDump } from './dump.ts'
import { type DumpSpec, makeDump } from './fixture.cases.ts'

const read = (made: DumpSpec) => {
  const found = readDump(makeDump(made))
  if (!found) throw new Error('no dump')
  return found
}

describe('names of a crash', () => {
  const windows = { platform: 2, version: [10, 0, 19045] as [number, number, number], osText: '' }
  test.each<[DumpSpec, string | undefined, bigint | undefined]>([
    [{ crash: { code: 11, flags: 1, address: 0x10n } }, 'SIGSEGV / SEGV_MAPERR', 0x10n],
    [{ crash: { code: 8, flags: 1 } }, 'SIGFPE / FPE_INTDIV', 0n],
    [{ crash: { code: 6, flags: 0xfffffffa } }, 'SIGABRT', 0n],
    [{ crash: { code: 44 } }, 'signal 44', 0n],
    [{ platform: 0x8203, crash: { code: 7, flags: 2 } }, 'SIGBUS / BUS_ADRERR', 0n],
    [{ platform: 0x8101, crash: { code: 1, flags: 1, address: 8n } }, 'EXC_BAD_ACCESS / KERN_INVALID_ADDRESS', 8n],
    [{ platform: 0x8102, crash: { code: 0x43506e78 } }, 'NSException', 0n],
    [{ platform: 0x8101, crash: { code: 99 } }, 'EXC 0x00000063', 0n],
    [
      { ...windows, crash: { code: 0xc0000005, address: 0x401000n, parameters: [1n, 0x45n] } },
      'EXCEPTION_ACCESS_VIOLATION_WRITE',
      0x45n,
    ],
    [
      { ...windows, crash: { code: 0xc0000005, address: 0x401000n, parameters: [7n, 0x45n] } },
      'EXCEPTION_ACCESS_VIOLATION',
      0x45n,
    ],
    [{ ...windows, crash: { code: 0xc0000094, address: 0x401000n } }, 'EXCEPTION_INT_DIVIDE_BY_ZERO', 0x401000n],
    [{ ...windows, crash: { code: 0xc0000409, parameters: [7n] } }, 'STATUS_STACK_BUFFER_OVERRUN / FAST_FAIL 7', 0n],
    [{ ...windows, crash: { code: 0xdeadbeef } }, '0xdeadbeef', 0n],
    [{ ...windows, crash: { code: 0x0517a7ed } }, undefined, undefined],
    [{ crash: { code: 0xffffffff } }, undefined, undefined],
    [{}, undefined, undefined],
    [{ platform: 77, crash: { code: 11 } }, 'SIGSEGV', 0n],
    [{ platform: 77, crash: { code: 0xc0000005 } }, '0xc0000005', 0n],
  ])('%#: %o', (made, name, address) => {
    const { crash } = read(made)
    expect([crash?.name, crash?.address]).toEqual([name, address])
  })

  test('a process of 32 bits has addresses of 32 bits', () => {
    const made = { ...windows, cpu: 0, crash: { code: 0xc0000005, parameters: [1n, 0xffffffff00000045n] } }
    expect(read(made).crash?.address).toBe(0x45n)
  })
})

test.each([false, true])('what a dump says of its process (other byte order: %s)', (big) => {
  const rsds = Buffer.alloc(24 + 9)
  rsds.write('RSDS', 0)
  for (let i = 4; i < 20; i++) rsds[i] = i
  if (big) rsds.writeUInt32BE(2, 20)
  else rsds.writeUInt32LE(2, 20)
  rsds.write('shop.pdb\0', 24)
  const elf = Buffer.from(`BpEL${'abcd'.repeat(5)}`)
  const found = read({
    big,
    cpu: 9,
    writtenS: 1_700_000_000,
    threads: 4,
    crash: { code: 11, thread: 9, instruction: 0x7f0012n },
    modules: [
      { file: '/srv/app/shop', base: 0x400000n, bytes: 0x1000, debug: rsds },
      { file: '/lib/libc.so.6', base: 0x7f0000n, bytes: 0x100, debug: elf },
    ],
  })
  expect(found).toMatchObject({
    os: 'Linux',
    osVersion: '6.1.0',
    cpu: 'x86_64',
    writtenS: 1_700_000_000,
    threads: 4,
    crash: { threadId: 9 },
    instruction: 0x7f0012n,
    modules: [
      {
        file: '/srv/app/shop',
        type: 'elf',
        debugFile: 'shop.pdb',
        debugId: big ? '04050607-0809-0a0b-0c0d-0e0f10111213-2' : '07060504-0908-0b0a-0c0d-0e0f10111213-2',
      },
      { codeId: Buffer.from('abcd'.repeat(5)).toString('hex'), debugId: '' },
    ],
  })
  expect(moduleAt(found, found.instruction)?.file).toBe('/lib/libc.so.6')
  expect(moduleAt(found, 0x400fffn)?.file).toBe('/srv/app/shop')
  expect(moduleAt(found, 0x401000n)).toBeUndefined()
})

test('Windows: version, code id, and the record’s address where no context is', () => {
  const found = read({
    platform: 2,
    cpu: 77,
    version: [10, 0, 19045],
    osText: '',
    crash: { code: 3, address: 0x400123n },
  })
  expect(found).toMatchObject({ os: 'Windows', osVersion: '10.0.19045', cpu: '', instruction: 0x400123n })
  expect(found.modules[0]).toMatchObject({ type: 'pe', codeId: '000000001000' })
})

describe('hostile dumps', () => {
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['the magic alone', Buffer.from('MDMP')],
    ['31 bytes', Buffer.from('MDMP'.padEnd(31, '\0'))],
    ['another magic', Buffer.from('MZ'.padEnd(64, '\0'))],
  ])('%s is none', (_name, bytes) => expect(readDump(bytes)).toBeUndefined())

  test('counts that no file has are bounded', () => {
    const bytes = makeDump({ crash: { code: 11 } })
    bytes.writeUInt32LE(0xffffffff, 8)
    const streams = Array.from({ length: 4 }, (_, i) => 32 + i * 12).filter((at) => bytes.readUInt32LE(at) === 4)
    bytes.writeUInt32LE(0xffffffff, bytes.readUInt32LE((streams[0] ?? 0) + 8))
    expect(readDump(bytes)?.modules.length).toBeLessThanOrEqual(2000)
  })

  test('a dump that is cut anywhere is read as far as it goes', () => {
    const bytes = makeDump({ crash: { code: 11 } })
    for (let length = 0; length <= bytes.length; length++) {
      const found = readDump(bytes.subarray(0, length))
      expect(found === undefined).toBe(length < 32)
    }
  })

  test('bytes that were changed never throw', () => {
    const whole = makeDump({ crash: { code: 11, flags: 1 } })
    const change = fc.tuple(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 }))
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 60 }), (changes) => {
        const bytes = Buffer.from(whole)
        for (const [at, value] of changes) bytes[at] = value
        const found = readDump(bytes)
        for (const module of found?.modules ?? []) expect(module.file.length).toBeLessThanOrEqual(512)
      }),
      { seed: 7, numRuns: 2000 },
    )
  })
})

const corpus = `${import.meta.dirname}/../../../../../shared/corpora/bugsink-event-samples/minidumps`
describe('real dumps', () => {
  if (!existsSync(corpus)) console.log('skipped: the corpora are not there')
  const names = existsSync(corpus) ? readdirSync(corpus).filter((file) => file.endsWith('.dmp')) : []

  test.skipIf(names.length === 0)('every one says system, processor and modules, with its program first', () => {
    for (const name of names) {
      const bytes = readFileSync(`${corpus}/${name}`)
      const found = readDump(bytes)
      // A microdump has the same suffix but is text.
      expect(found === undefined, name).toBe(bytes.toString('latin1', 0, 4) !== 'MDMP')
      if (!found) continue
      expect([found.os !== '', found.cpu !== '', found.osVersion !== '', found.modules.length > 0], name).toEqual([
        true,
        true,
        true,
        true,
      ])
      expect(found.writtenS, name).toBeGreaterThan(1_000_000_000)
      expect(found.modules[0]?.file, name).toMatch(/\S/)
    }
  })

  test.skipIf(names.length === 0).each([
    ['linux_null_dereference.dmp', 'SIGSEGV', 0n, 'driver'],
    ['linux_divide_by_zero.dmp', 'SIGFPE', 0x401f27n, 'driver'],
    ['null_write_av.dmp', 'EXCEPTION_ACCESS_VIOLATION_WRITE', 0n, 'crashme.exe'],
    ['read_av_conditional.dmp', 'EXCEPTION_ACCESS_VIOLATION_READ', 0x4e3c9n, 'crashme.exe'],
    ['tiny-exe-fastfail.dmp', 'STATUS_STACK_BUFFER_OVERRUN / FAST_FAIL 7', undefined, 'tiny.exe'],
    ['minidump_crashpad_annotation.dmp', 'NSException', undefined, 'ios_crash_xcuitests'],
    ['tiny-exe-with-cet-xsave.dmp', undefined, undefined, undefined],
  ])('%s', (name, crash, address, module) => {
    if (!names.includes(name)) return
    const found = readDump(readFileSync(`${corpus}/${name}`))
    expect(found?.crash?.name).toBe(crash)
    if (address !== undefined) expect(found?.crash?.address).toBe(address)
    if (found && module) expect(moduleAt(found, found.instruction)?.file.split(/[\\/]/).at(-1)).toBe(module)
  })
})
