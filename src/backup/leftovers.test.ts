import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import type { Observe } from '../base/observe.ts'
import { openFileBlobs } from '../store/blobs/files.ts'
import { tableRows } from '../store/events/tables.cases.ts'
import { type BackupDeps, createBackups, sweepAtStart } from './backup.ts'
import { copyFoldersOf, sweepLeftovers, writeNote } from './leftovers.ts'

const root = mkdtempSync(join(tmpdir(), 'mishap-leftovers-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function emptyData(name: string) {
  const data = join(root, name)
  for (const folder of ['journal', 'blobs', 'backup']) mkdirSync(join(data, folder), { recursive: true })
  return data
}

function backupsOf(data: string, events: Partial<BackupDeps['events']>, clock = testClock()) {
  return createBackups({
    clock,
    version: '0.1.0',
    data,
    folders: { journal: join(data, 'journal'), blobs: join(data, 'blobs') },
    blobs: openFileBlobs(join(data, 'blobs')),
    meta: {
      snapshots: {
        copyTo: async (to) => writeFileSync(to, 'rows'),
        tally: async () => ({ organizations: 1, projects: 2, issues: 3, attachments: 0, deadItems: 0 }),
        blobWatermark: async () => ({ attachment: 0, deadItem: 0, bundle: 0 }),
        blobKeys: async () => [],
      },
      batches: {
        cursor: async () => 5,
      },
    },
    events: {
      backup: async (name) => {
        mkdirSync(join(data, 'backup', name), { recursive: true })
        return tableRows({})
      },
      copying: async () => false,
      size: async () => [],
      ...events,
    },
    pause: async () => () => undefined,
  })
}

describe('what a backup leaves that was killed', () => {
  test('kill -9 while the archive grows: the next start takes the copy and the half archive away', async () => {
    const data = join(root, 'killed')
    const file = join(root, 'killed.tar')
    const part = join(root, '.killed.tar.part')
    const words = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'leftovers.cases.ts'), data, file]
    const child = spawn(process.execPath, words, { stdio: 'inherit' })
    const gone = once(child, 'exit')
    while (!existsSync(part) && child.exitCode === null) await setImmediate()
    child.kill('SIGKILL')
    expect(await gone).toEqual([null, 'SIGKILL'])
    expect([existsSync(file), existsSync(part)]).toEqual([false, true])
    expect(readdirSync(join(data, 'backup')).length).toBeGreaterThan(0)
    const swept = await backupsOf(data, {}).sweep()
    expect(swept[0]).toBe(part)
    expect([existsSync(part), readdirSync(join(data, 'backup'))]).toEqual([false, []])
    expect(existsSync(join(data, 'journal', '1.seg'))).toBe(true)
  })

  test('the next backup sweeps as well, wherever its own archive goes', async () => {
    const data = emptyData('next')
    const part = join(root, '.before.tar.part')
    writeFileSync(part, 'half')
    await writeNote(join(data, 'backup'), 'take-1', part)
    mkdirSync(join(data, 'backup', 'stage-take-1'))
    mkdirSync(join(data, 'rehearsal-abc', 'meta'), { recursive: true })
    await backupsOf(data, {}).take(join(root, 'next.tar'))
    expect([existsSync(join(root, 'next.tar')), existsSync(part)]).toEqual([true, false])
    expect([readdirSync(join(data, 'backup')), readdirSync(data).sort()]).toEqual([[], ['backup', 'blobs', 'journal']])
  })

  test.each([
    ['cut off', '{"part":"/et'],
    ['empty', ''],
    ['of another form', '[1]'],
    ['that names no archive', JSON.stringify({ part: join(root, 'dear.txt') })],
    ['with a path that is not absolute', JSON.stringify({ part: '.x.part' })],
  ])('a note %s goes, and nothing that it names', async (name, text) => {
    const data = emptyData(`note-${name}`)
    const dear = join(root, 'dear.txt')
    writeFileSync(dear, 'dear')
    const note = join(data, 'backup', 'take-2.note.json')
    writeFileSync(note, text)
    expect(await sweepLeftovers(data)).toEqual([note])
    expect([existsSync(dear), existsSync(note)]).toEqual([true, false])
  })

  test('nothing is there where no backup ever ran; what counts against the disk budget is told by folder', async () => {
    const data = join(root, 'fresh')
    mkdirSync(join(data, 'rehearsal-x'), { recursive: true })
    expect(await copyFoldersOf(data)).toEqual([join(data, 'backup'), join(data, 'rehearsal-x')])
    rmSync(join(data, 'rehearsal-x'), { recursive: true })
    expect(await sweepLeftovers(data)).toEqual([])
  })

  test('a copy that the engine goes on with, though nobody waits for it, is swept after its end', async () => {
    const data = emptyData('orphan')
    const left = join(data, 'backup', 'take-3')
    mkdirSync(left)
    const engine = { looks: 0 }
    const clock = testClock()
    const copying = async () => {
      engine.looks++
      expect(existsSync(left)).toBe(true)
      return engine.looks < 3
    }
    const swept = backupsOf(data, { copying }, clock).sweep()
    while (existsSync(left)) {
      await setImmediate()
      clock.advance(500)
    }
    expect([await swept, engine.looks]).toEqual([[left], 3])
  })
})

describe('at the start', () => {
  function world(answers: (string[] | Error)[]) {
    const clock = testClock()
    const warned: unknown[] = []
    const observe = { warn: (value: object) => void warned.push(value) } as unknown as Observe
    const sweep = async () => {
      const next = answers.shift() ?? []
      if (next instanceof Error) throw next
      return next
    }
    return {
      clock,
      warned,
      begin: (isStopping: () => boolean) => sweepAtStart({ sweep }, { clock, observe }, isStopping),
    }
  }

  test('it is tried until the engine answers, and the log says what went', async () => {
    const answers = [new Error('away'), new Error('away'), ['/data/backup/take-1']]
    const { clock, warned, begin } = world(answers)
    const begun = begin(() => false)
    while (answers.length > 0) {
      await setImmediate()
      clock.advance(1000)
    }
    await begun
    expect(warned).toEqual([{ swept: ['/data/backup/take-1'] }])
  })

  test('nothing is said where nothing was left, and a process that ends does not begin', async () => {
    const { warned, begin } = world([[], ['x']])
    await begin(() => false)
    await begin(() => true)
    expect(warned).toEqual([])
  })
})

describe('three backups at once', () => {
  test('one is taken, the others are refused and say why; after it another one is', async () => {
    const data = emptyData('three')
    const open = Promise.withResolvers<void>()
    const taken: string[] = []
    const backup = async (name: string) => {
      taken.push(name)
      mkdirSync(join(data, 'backup', name))
      await open.promise
      return tableRows({})
    }
    const backups = backupsOf(data, { backup })
    const first = backups.take(join(root, 'a.tar'))
    for (const name of ['a.tar', 'b.tar'])
      await expect(backups.take(join(root, name))).rejects.toMatchObject({
        code: 'BACKUP_RUNNING',
        message: expect.stringContaining(join(root, 'a.tar')),
      })
    expect(backups.running()).toBe(true)
    // Files of a running backup are not leftovers.
    while (taken.length === 0) await setImmediate()
    expect(await backups.sweep()).toEqual([])
    open.resolve()
    await expect(first).resolves.toMatchObject({ issues: 3 })
    expect([taken.length, backups.running()]).toEqual([1, false])
    await backups.take(join(root, 'b.tar'))
    expect([existsSync(join(root, 'a.tar')), existsSync(join(root, 'b.tar'))]).toEqual([true, true])
  })

  test('one that was refused or failed stands in nobody’s way', async () => {
    const data = emptyData('failed')
    const backups = backupsOf(data, {})
    await expect(backups.take(join(root, 'no', 'x.tar'))).rejects.toMatchObject({ code: 'VALIDATION' })
    await expect(backups.take(join(root, 'after.tar'))).resolves.toMatchObject({ issues: 3 })
  })
})
