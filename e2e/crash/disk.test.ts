import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { randomOf } from '../../src/random.cases.ts'
import { compileLayer, Disk, differences, type Model, readCalls, takeSnapshot } from './disk.ts'

const place = mkdtempSync(join(tmpdir(), 'mishap-disk-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))
const layer = compileLayer(place)
let runs = 0

const filesOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file): [string, string] => {
        const path = join(file.parentPath, file.name)
        return [path.slice(folder.length + 1), readFileSync(path, 'latin1')]
      })
      .sort(),
  )

/** Runs a script in a new folder with the recording layer. The script can use `h`, the folder, and `sync(path)`. */
function record(script: string, prepare: (folder: string) => void = () => undefined) {
  const base = join(place, `run-${runs++}`)
  const live = join(base, 'live')
  mkdirSync(live, { recursive: true })
  prepare(live)
  const start = takeSnapshot(live, join(base, 'still'))
  const text = `const fs = require('node:fs'), h = ${JSON.stringify(live)}
    const sync = (p) => { const f = fs.openSync(p, 'r'); fs.fsyncSync(f); fs.closeSync(f) }
    ;(async () => { ${script} })()`
  execFileSync(process.execPath, ['-e', text], {
    env: {
      ...process.env,
      LD_PRELOAD: 'path' in layer ? layer.path : '',
      DISKLOG_ROOT: live,
      DISKLOG_FILE: join(base, 'log'),
      DISKLOG_SEQ: join(base, 'seq'),
    },
  })
  const calls = readCalls(join(base, 'log'))
  const made = (model: Model): Disk => {
    const disk = new Disk(start, model)
    for (const call of calls) disk.apply(call)
    return disk
  }
  return {
    live,
    base,
    made,
    /** The distinct folders that result from 300 power cuts at the end of the log. */
    ends: (model: Model): Record<string, string>[] => {
      const found = new Set<string>()
      for (let seed = 0; seed < 300; seed++) {
        const to = join(base, `cut-${model}-${seed}`)
        made(model).cut(to, randomOf(seed))
        found.add(JSON.stringify(filesOf(to)))
        rmSync(to, { recursive: true })
      }
      return [...found].map((item) => JSON.parse(item) as Record<string, string>)
    },
  }
}

type Case = {
  name: string
  script: string
  prepare?: (folder: string) => void
  strict: (ends: Record<string, string>[]) => void
  ordered?: (ends: Record<string, string>[]) => void
}

const cases: Case[] = [
  {
    name: 'what was written and not synced may be there or not',
    script: "fs.writeFileSync(h + '/a', 'new'); sync(h)",
    prepare: (folder) => writeFileSync(join(folder, 'a'), 'old'),
    strict: (ends) => expect(new Set(ends.map((end) => end.a))).toEqual(new Set(['old', '', 'new'])),
  },
  {
    name: 'what was synced is there, whatever came after it',
    script:
      "const f = fs.openSync(h + '/a', 'r+'); fs.writeSync(f, 'AB', 0); fs.fdatasyncSync(f); fs.writeSync(f, 'x', 5)",
    prepare: (folder) => writeFileSync(join(folder, 'a'), '....'),
    strict: (ends) => expect(new Set(ends.map((end) => end.a))).toEqual(new Set(['AB..', 'AB..\0x'])),
  },
  {
    name: 'a synced file whose folder was not synced may have no name',
    script: "const f = fs.openSync(h + '/a', 'w'); fs.writeSync(f, 'x'); fs.fsyncSync(f)",
    strict: (ends) => expect(new Set(ends.map((end) => end.a))).toEqual(new Set([undefined, 'x'])),
    ordered: (ends) => expect(ends).toEqual([{ a: 'x' }]),
  },
  {
    name: 'a rename is whole or not done; a sync of the folder makes it certain',
    script: "fs.renameSync(h + '/a', h + '/b')",
    prepare: (folder) => {
      writeFileSync(join(folder, 'a'), 'A')
      writeFileSync(join(folder, 'b'), 'B')
    },
    strict: (ends) =>
      expect(new Set(ends.map((end) => JSON.stringify(end)))).toEqual(new Set(['{"a":"A","b":"B"}', '{"b":"A"}'])),
  },
  {
    name: 'a file that was deleted may come back until its folder is synced',
    script: "fs.rmSync(h + '/a'); fs.rmSync(h + '/b'); sync(h); fs.rmSync(h + '/c')",
    prepare: (folder) => {
      for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name), name)
    },
    strict: (ends) => expect(new Set(ends.map((end) => JSON.stringify(end)))).toEqual(new Set(['{"c":"c"}', '{}'])),
  },
  {
    name: 'pages of one write are torn in any order',
    script: "const f = fs.openSync(h + '/a', 'w'); sync(h); fs.writeSync(f, 'a'.repeat(4096) + 'b'.repeat(4096))",
    strict: (ends) => {
      const seen = new Set(ends.map((end) => end.a ?? ''))
      expect(seen).toContain('')
      expect(seen).toContain('a'.repeat(4096))
      expect(seen).toContain('\0'.repeat(4096) + 'b'.repeat(4096))
      expect(seen).toContain('a'.repeat(4096) + 'b'.repeat(4096))
    },
  },
]

for (const testCase of cases)
  test.skipIf('skip' in layer)(`after a cut: ${testCase.name}`, () => {
    const made = record(testCase.script, testCase.prepare)
    expect(made.ends('strict').length).toBeGreaterThan(0)
    testCase.strict(made.ends('strict'))
    ;(testCase.ordered ?? testCase.strict)(made.ends('ordered'))
  })

test.skipIf('skip' in layer)('the log holds all that Node and SQLite do to a folder', () => {
  const made = record(
    `await fs.promises.mkdir(h + '/deep/er', { recursive: true })
     await fs.promises.writeFile(h + '/deep/er/f', 'one'); fs.appendFileSync(h + '/deep/er/f', 'two')
     const f = fs.openSync(h + '/v', 'w'); fs.writevSync(f, [Buffer.from('x'), Buffer.from('yz')], 3); fs.ftruncateSync(f, 5)
     fs.copyFileSync(h + '/v', h + '/w'); fs.linkSync(h + '/w', h + '/l'); fs.symlinkSync('w', h + '/s')
     fs.renameSync(h + '/deep', h + '/moved'); fs.mkdirSync(h + '/gone'); fs.writeFileSync(h + '/gone/x', 'x'); fs.rmSync(h + '/gone', { recursive: true })
     const { DatabaseSync } = require('node:sqlite'); const d = new DatabaseSync(h + '/d.sqlite')
     d.exec('pragma journal_mode = wal; pragma synchronous = full; create table t (a); insert into t values (1)')
     d.exec('with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) insert into t select i from n'); d.close()`,
    (folder) => writeFileSync(join(folder, 'before'), 'stays'),
  )
  const disk = made.made('strict')
  const to = join(made.base, 'all')
  disk.all(to)
  expect(disk.unseen).toEqual([])
  expect(differences(made.live, to, () => false)).toEqual([])
})
