import { expect, test } from 'vitest'
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
