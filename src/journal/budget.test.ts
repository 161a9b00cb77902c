import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { BodyBudget } from './budget.ts'
import { openJournalWriter, type WriterOptions } from './files.ts'
import { head } from './journal.cases.ts'
import type { BodyReservation, JournalWriter } from './journal.ts'

const MiB = 1024 * 1024
const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function open(changes: Partial<WriterOptions> = {}): Promise<JournalWriter> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-beside-'))
  const writer = await openJournalWriter({
    folder,
    bytesMax: 100 * MiB,
    diskReserveBytes: 0,
    groupMs: 0,
    clock: systemClock,
    observe: silent,
    ...changes,
  })
  ends.push(async () => {
    await writer.close()
    rmSync(folder, { recursive: true })
  })
  return writer
}
const named = (n: number, bytes: number) => ({ ...head(n), spool: { key: `spool/1/${n}`, bytes } })
const codeOf = (run: () => unknown) => {
  try {
    run()
    return 'taken'
  } catch (error) {
    return (error as { code?: string }).code
  }
}
const appendCode = (writer: JournalWriter, bytes: number) =>
  writer.append(named(9, bytes), Buffer.alloc(0)).then(
    () => 'taken',
    (error: { code?: string }) => error.code,
  )

test('records count as waiting until they are durable, also while their group is written', async () => {
  const writer = await open()
  const appended = writer.append(head(1), Buffer.alloc(MiB))
  const waiting = [writer.waitingBytes() > MiB]
  for (let ticks = 0; ticks < 3; ticks++) {
    await Promise.resolve()
    waiting.push(writer.waitingBytes() > MiB)
  }
  expect(waiting).toEqual([true, true, true, true])
  await appended
  expect(writer.waitingBytes()).toBe(0)
})

test('a body beside the journal waits with its record, and is done with it', async () => {
  const writer = await open()
  const before = writer.lagBytes()
  const first = await writer.append(named(1, 30 * MiB), Buffer.alloc(0))
  await writer.append(named(2, 20 * MiB), Buffer.alloc(0))
  const end = await writer.append(head(3), Buffer.alloc(10))
  expect([writer.bodyBytes(), writer.lagBytes() - before > 50 * MiB]).toEqual([50 * MiB, true])
  await writer.trim(first + 1)
  expect(writer.bodyBytes()).toBe(20 * MiB)
  await writer.trim(end)
  expect([writer.bodyBytes(), writer.lagBytes() < MiB, writer.doneBytes() >= 50 * MiB]).toEqual([0, true, true])
})

test('of a group that the disk refused nothing waits', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-beside-'))
  const writer = await openJournalWriter({
    folder,
    bytesMax: 100 * MiB,
    diskReserveBytes: 0,
    groupMs: 0,
    clock: systemClock,
    observe: silent,
    segmentBytes: 65_536,
  })
  await writer.append(head(1), Buffer.alloc(60_000))
  // The segment is full and its folder is removed, so no new segment can be created.
  rmSync(folder, { recursive: true })
  const large = (n: number) => writer.append(named(n, 10 * MiB), Buffer.alloc(60_000)).catch((error: unknown) => error)
  const refused = [large(2), large(3)]
  expect(writer.bodyBytes()).toBe(20 * MiB)
  for (const entry of await Promise.all(refused)) expect(entry).toMatchObject({ code: 'ACCEPT_DISK_FULL' })
  expect(writer.bodyBytes()).toBe(0)
  await writer.close()
})

test('what an earlier life left is counted, but not what is done with', async () => {
  const writer = await open()
  await writer.trim(100)
  writer.addBody(50, MiB)
  writer.addBody(200, 2 * MiB)
  expect(writer.bodyBytes()).toBe(2 * MiB)
  await writer.trim(201)
  expect(writer.bodyBytes()).toBe(0)
})

test('bodies that wait and bodies that are being written fill the bound', async () => {
  const writer = await open()
  expect(await appendCode(writer, 40 * MiB)).toBe('taken')
  const reservation = writer.reserve()
  reservation.grow(30 * MiB)
  const other = writer.reserve()
  expect(codeOf(() => other.grow(31 * MiB))).toBe('ACCEPT_OVERLOADED')
  expect(codeOf(() => other.grow(20 * MiB))).toBe('taken')
  expect(codeOf(() => other.grow(20 * MiB))).toBe('ACCEPT_OVERLOADED')
  expect(await appendCode(writer, 20 * MiB)).toBe('ACCEPT_OVERLOADED')
  reservation.free()
  reservation.free()
  // The record takes the budget that its reservation frees.
  other.free()
  expect(await appendCode(writer, 20 * MiB)).toBe('taken')
  expect(writer.bodyBytes()).toBe(60 * MiB)
})

test('a body that is larger than the bound gets in while little waits, and then holds up all others', async () => {
  const writer = await open()
  const reservation = writer.reserve()
  for (let n = 0; n < 10; n++) reservation.grow(20 * MiB)
  reservation.free()
  expect(await appendCode(writer, 200 * MiB)).toBe('taken')
  expect(codeOf(() => writer.reserve().grow(1))).toBe('ACCEPT_OVERLOADED')
  expect(await appendCode(writer, 0)).toBe('ACCEPT_OVERLOADED')
})

test('bodies that say their size and come at once do not refuse each other: those that fit get in, late ones wait', async () => {
  const writer = await open({ bytesMax: 64 * MiB })
  const rooms: BodyReservation[] = []
  const codes = Array.from({ length: 20 }, () => codeOf(() => rooms.push(writer.reserve(8 * MiB))))
  expect([rooms.length, new Set(codes.slice(7))]).toEqual([7, new Set(['ACCEPT_OVERLOADED'])])
  for (let piece = 0; piece < 8; piece++) for (const reservation of rooms) reservation.grow(MiB)
  const taken = await Promise.all(
    rooms.map((reservation) => {
      reservation.free()
      return appendCode(writer, 8 * MiB)
    }),
  )
  expect(new Set(taken)).toEqual(new Set(['taken']))
  expect(writer.bodyBytes()).toBe(56 * MiB)
})

test('of bodies that say no size and come at once the first ones get in, the late ones go', async () => {
  const writer = await open({ bytesMax: 64 * MiB })
  const rooms = Array.from({ length: 20 }, () => writer.reserve())
  const codes = rooms.map(() => 'taken')
  for (let piece = 0; piece < 8; piece++)
    rooms.forEach((reservation, i) => {
      if (codes[i] === 'taken') codes[i] = codeOf(() => reservation.grow(MiB)) ?? ''
      if (codes[i] !== 'taken') reservation.free()
    })
  expect(codes).toEqual(rooms.map((_, i) => (i < 7 ? 'taken' : 'ACCEPT_OVERLOADED')))
  for (const reservation of rooms.slice(0, 7)) {
    reservation.free()
    expect(await appendCode(writer, 8 * MiB)).toBe('taken')
  }
})

test('nobody goes for one that does not fit all the same, and nobody who was promised room', async () => {
  const writer = await open({ bytesMax: 64 * MiB })
  const first = writer.reserve()
  first.grow(MiB)
  const promised = writer.reserve(30 * MiB)
  const late = writer.reserve()
  late.grow(10 * MiB)
  expect(await appendCode(writer, 20 * MiB)).toBe('taken')
  expect(codeOf(() => first.grow(31 * MiB))).toBe('ACCEPT_OVERLOADED')
  expect(codeOf(() => late.grow(MiB))).toBe('taken')
  expect(codeOf(() => first.grow(10 * MiB))).toBe('taken')
  expect(codeOf(() => late.grow(1))).toBe('ACCEPT_OVERLOADED')
  expect(codeOf(() => promised.grow(30 * MiB))).toBe('taken')
})

test.each([
  ['what is declared is given back as a whole', 60 * MiB, 10 * MiB],
  ['what came beyond it too', 10 * MiB, 60 * MiB],
])('%s', async (_name, declared, grown) => {
  const writer = await open()
  const reservation = writer.reserve(declared)
  reservation.grow(grown)
  expect(codeOf(() => writer.reserve(45 * MiB))).toBe('ACCEPT_OVERLOADED')
  reservation.free()
  reservation.free()
  expect(codeOf(() => writer.reserve(45 * MiB))).toBe('taken')
})

test('what is only declared refuses no event, but other bodies', async () => {
  const writer = await open()
  writer.reserve(50 * MiB)
  const other = writer.reserve(45 * MiB)
  expect(codeOf(() => writer.reserve(10 * MiB))).toBe('ACCEPT_OVERLOADED')
  expect(codeOf(() => writer.reserve().grow(10 * MiB))).toBe('ACCEPT_OVERLOADED')
  expect(await appendCode(writer, 40 * MiB)).toBe('taken')
  // The limit applies to every new byte, whichever body began first.
  for (let n = 0; n < 40; n++) other.grow(MiB)
  expect(await appendCode(writer, 14 * MiB)).toBe('taken')
  expect(codeOf(() => other.grow(5 * MiB))).toBe('taken')
  expect(await appendCode(writer, 5 * MiB)).toBe('ACCEPT_OVERLOADED')
})

test('one that declares more than the bound gets in while little waits', async () => {
  const writer = await open()
  const reservation = writer.reserve(200 * MiB)
  expect(codeOf(() => writer.reserve(1))).toBe('ACCEPT_OVERLOADED')
  reservation.grow(200 * MiB)
  reservation.free()
  expect(await appendCode(writer, 200 * MiB)).toBe('taken')
})

test('the disk has to have what is declared, of all of them together', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-beside-'))
  const { bavail, bsize } = statfsSync(folder)
  rmSync(folder, { recursive: true })
  // Large enough that writes of other programs do not change the result.
  const most = Math.round(bavail * bsize * 0.6)
  const writer = await open({ bytesMax: 1e15 })
  expect(codeOf(() => writer.reserve(2 * most))).toBe('ACCEPT_DISK_FULL')
  const reservation = writer.reserve(most)
  expect(codeOf(() => writer.reserve(most))).toBe('ACCEPT_DISK_FULL')
  reservation.free()
  expect(codeOf(() => writer.reserve(most))).toBe('taken')
})

test('the reserve of the disk holds for them too, before their bytes are written', async () => {
  const writer = await open({ diskReserveBytes: 1e15 })
  expect(codeOf(() => writer.reserve().grow(1))).toBe('ACCEPT_DISK_FULL')
})

test('a closed journal has no room', async () => {
  const writer = await open()
  await writer.close()
  expect(codeOf(() => writer.reserve().grow(1))).toBe('ACCEPT_OVERLOADED')
})

describe('room of bodies without a size', () => {
  test('is taken from those that still come, not from one that ended', () => {
    const bodies = new BodyBudget()
    const [first, ended] = [bodies.begin(0), bodies.begin(0)]
    bodies.end(ended)
    expect(bodies.evictLater(first, () => true)).toBe(false)
    expect(ended.lost).toBe(false)
    const later = bodies.begin(0)
    expect(bodies.evictLater(first, () => true)).toBe(true)
    expect(later.lost).toBe(true)
  })

  test('is not taken for one that ended itself', () => {
    const bodies = new BodyBudget()
    const reservation = bodies.begin(0)
    bodies.end(reservation)
    expect(bodies.evictLater(reservation, () => true)).toBe(false)
  })
})

test('a room on a full journal is refused once its bytes come', async () => {
  const writer = await open()
  expect(await appendCode(writer, 200 * MiB)).toBe('taken')
  const reservation = writer.reserve()
  expect(codeOf(() => reservation.grow(1))).toBe('ACCEPT_OVERLOADED')
  expect(codeOf(() => writer.reserve(1))).toBe('ACCEPT_OVERLOADED')
})
