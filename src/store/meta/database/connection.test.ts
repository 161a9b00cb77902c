import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSqlite, writeFailure } from './connection.ts'

const sqlite = (errcode: number) =>
  Object.assign(new Error('x'), { code: 'ERR_SQLITE_ERROR', errcode, errstr: 'database or disk is full' })

test.each([
  ['FULL', sqlite(13), 'DATABASE_UNWRITABLE'],
  ['IOERR', sqlite(10), 'DATABASE_UNWRITABLE'],
  ['IOERR_WRITE', sqlite(778), 'DATABASE_UNWRITABLE'],
  ['CANTOPEN', sqlite(14), 'DATABASE_UNWRITABLE'],
  ['CONSTRAINT_UNIQUE', sqlite(2067), 'ERR_SQLITE_ERROR'],
  ['BUSY', sqlite(5), 'ERR_SQLITE_ERROR'],
  ['of the file system', Object.assign(new Error('x'), { code: 'ENOSPC' }), 'ENOSPC'],
  ['no error', undefined, undefined],
])('%s', (_name, error, code) => {
  expect((writeFailure(error) as { code?: string } | undefined)?.code).toBe(code)
})

test('a disk that is full fails a transaction whole, by its code, and takes it when there is room', async () => {
  const database = openSqlite(':memory:')
  await database.script('create table t (x text)')
  await database.script('pragma max_page_count = 10')
  const fill = () =>
    database.transaction(async () => {
      for (let n = 0; n < 40; n++) await database.script(`insert into t values ('${'x'.repeat(2000)}')`)
    })
  await expect(fill()).rejects.toThrowError(expect.objectContaining({ code: 'DATABASE_UNWRITABLE' }))
  expect(await database.faults()).toEqual([])
  await database.script('pragma max_page_count = 1000')
  await fill()
  await database.script('create table u as select count(*) as n from t')
  await database.script('create unique index one on u (n)')
  await expect(database.script('insert into u select 41; insert into u select 41')).rejects.toThrow(
    'UNIQUE constraint failed',
  )
  await expect(database.script('insert into u select 40')).rejects.toThrow('UNIQUE constraint failed')
  await database.close()
})

/** A database with a table `t` of texts, and a second connection to its file that sees what is committed. */
function rig() {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-connection-'))
  const file = join(folder, 'a.sqlite')
  const database = openSqlite(file)
  const other = openSqlite(file)
  const texts = async (of = database) => (await of.statement('select x from t order by rowid', [])).rows
  return {
    database,
    other,
    add: (text: string) => database.statement('insert into t values (?)', [text]),
    rows: async () => (await texts()).map((row) => (row as { x: string }).x),
    committed: async () => (await texts(other)).map((row) => (row as { x: string }).x),
    open: () => database.script('create table t (x text unique)'),
    close: async () => {
      await database.close()
      await other.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

describe('transactions of one connection', () => {
  let of: ReturnType<typeof rig>
  beforeEach(async () => {
    of = rig()
    await of.open()
  })
  afterEach(() => of.close())

  const twoOf = (name: string) => () =>
    of.database.transaction(async () => {
      await of.add(`${name}1`)
      await setImmediate()
      await of.add(`${name}2`)
      await setImmediate()
      return name
    })

  test('do not interleave, and run in the order of asking', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map(twoOf)
    expect(await Promise.all([a?.(), b?.(), c?.()])).toEqual(['a', 'b', 'c'])
    expect(await of.rows()).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'c2'])
  })

  test('a statement outside waits for a running transaction, and is no part of it', async () => {
    const begun = Promise.withResolvers<void>()
    const failing = of.database.transaction(async () => {
      await of.add('inside')
      begun.resolve()
      for (let turn = 0; turn < 5; turn++) await setImmediate()
      throw new Error('stop')
    })
    await begun.promise
    const outside = [of.add('outside'), of.rows()] as const
    await expect(failing).rejects.toThrow('stop')
    await outside[0]
    expect(await outside[1]).toEqual(['outside'])
    expect(await of.committed()).toEqual(['outside'])
  })

  test('statements of called functions belong to it, and nobody else sees them before its end', async () => {
    const seen = await of.database.transaction(async () => {
      await Promise.all([of.add('a'), of.add('b')])
      await setImmediate()
      return { own: await of.rows(), others: await of.committed() }
    })
    expect(seen).toEqual({ own: ['a', 'b'], others: [] })
    expect(await of.committed()).toEqual(['a', 'b'])
  })

  test('a prepared query runs in the transaction that calls it, not in the one that made it', async () => {
    const add = of.database.prepared<{ x: string }, unknown>((slot) => ({
      compile: () => ({ sql: 'insert into t values (?)', parameters: [slot('x')] }) as never,
    }))
    const failing = of.database.transaction(async () => {
      await add.run({ x: 'gone' })
      await setImmediate()
      throw new Error('stop')
    })
    const stays = add.run({ x: 'stays' })
    await expect(failing).rejects.toThrow('stop')
    expect([await stays, await of.rows()]).toEqual([{ changes: 1 }, ['stays']])
  })

  test('cannot be nested; the outer one can go on', async () => {
    await of.database.transaction(async () => {
      await expect(of.database.transaction(async () => of.add('inner'))).rejects.toThrow('cannot be nested')
      await of.add('outer')
    })
    expect(await of.rows()).toEqual(['outer'])
  })

  test('a statement that comes after the end of its transaction is refused', async () => {
    const late = Promise.withResolvers<unknown>()
    await of.database.transaction(async () => {
      await of.add('in time')
      void setImmediate()
        .then(() => of.add('late'))
        .then(late.resolve, late.reject)
    })
    await expect(late.promise).rejects.toThrow('was not awaited by its transaction')
    expect(await of.rows()).toEqual(['in time'])
  })

  test.each<[string, () => Promise<unknown>, string]>([
    ['of its work', () => Promise.reject(new Error('stop')), 'stop'],
    ['of a statement', () => of.add('a'), 'UNIQUE constraint failed'],
  ])('an error %s rolls everything back, and the next one runs', async (_name, fails, message) => {
    const failing = of.database.transaction(async () => {
      await of.add('a')
      await setImmediate()
      await fails()
    })
    const next = twoOf('b')()
    await expect(failing).rejects.toThrow(message)
    expect([await next, await of.rows()]).toEqual(['b', ['b1', 'b2']])
  })

  test('a begin that fails runs nothing of its work, and lets the next one run', async () => {
    await of.database.script('pragma busy_timeout = 0')
    let hasRun = false
    await of.other.transaction(async () => {
      const refused = of.database.transaction(async () => {
        hasRun = true
      })
      await expect(refused).rejects.toThrow('database is locked')
    })
    expect(hasRun).toBe(false)
    expect([await twoOf('a')(), await of.rows()]).toEqual(['a', ['a1', 'a2']])
  })
})

test('a statement with parameters returns its rows, or how many rows it changed', async () => {
  const of = rig()
  await of.open()
  expect(await of.database.statement('insert into t values (?), (?)', ['a', 'b'])).toEqual({ rows: [], changes: 2 })
  expect(await of.database.statement('select x from t where x > ?', ['a'])).toEqual({ rows: [{ x: 'b' }], changes: 0 })
  expect(await of.database.statement("update t set x = 'c' where x = ? returning x", ['a'])).toEqual({
    rows: [{ x: 'c' }],
    changes: 0,
  })
  expect(await of.database.statement('delete from t where x = ?', ['z'])).toEqual({ rows: [], changes: 0 })
  await expect(of.database.statement('select y from t', [])).rejects.toThrow('no such column')
  await of.close()
})
