import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../base/clock.ts'
import { parsePostgresUrl } from '../../../base/postgres-url.ts'
import { postgresDialect } from './dialect.ts'
import { type Manner, startRelay } from './postgres/relay.cases.ts'
import { noPostgres, startPostgres, type TestServer } from './postgres/server.cases.ts'
import { openPostgres, type PostgresConnection } from './postgres.ts'

const why = noPostgres()
if (why) console.warn(`skipped: ${why}`)

const { builder, rows } = postgresDialect()
const table = 'create table value (name text primary key, text text not null)'
const put = (name: string, text: string) => builder.insertInto('value').values({ name, text })
const texts = async (connection: Pick<PostgresConnection, 'all'>) =>
  (await connection.all(builder.selectFrom('value').select(['name', 'text']).orderBy('name'))).map(
    (row) => `${row.name}=${row.text}`,
  )

describe.skipIf(why)('PostgreSQL', () => {
  let server: TestServer
  let databases = 0
  const opened: PostgresConnection[] = []

  beforeAll(async () => {
    server = await startPostgres()
  }, 120_000)
  afterAll(async () => {
    await Promise.all(opened.map((connection) => connection.close()))
    await server.remove()
  })

  const connect = async (url: string, name = 'a test') => {
    const address = parsePostgresUrl(url)
    if (!address) throw new Error(`malformed: ${url}`)
    const connection = await openPostgres(address, { name })
    opened.push(connection)
    return connection
  }
  const open = async () => {
    const database = `t${++databases}`
    await server.sql('postgres', `create database ${database}`)
    const connection = await connect(server.url(database))
    await connection.script(table)
    return { connection, database }
  }
  /** Ends all connections of a database, from its own process. */
  const cut = (database: string, where = 'true') =>
    server.sql(
      'postgres',
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}' and ${where}`,
    )

  test('numbers are numbers, booleans 0 and 1, and NUL becomes its symbol', async () => {
    const { connection } = await open()
    const query = builder
      .selectFrom(rows({ n: 'integer' }, [{ n: 1 }, { n: 2 }]).as('list'))
      .select(({ fn }) => [fn.sum<number>('n').as('sum'), fn.countAll<number>().as('rows')])
      .select([sql`${2 ** 53 - 1}::bigint`.as('big'), sql`1 = 1`.as('yes'), sql`null`.as('none')])
    expect(await connection.get(query)).toEqual({ sum: 3, rows: 2, big: 2 ** 53 - 1, yes: 1, none: null })
    await connection.run(put('a\0b', 'c\0'))
    expect(await texts(connection)).toEqual(['a\u2400b=c\u2400'])
    expect(await connection.get(builder.selectFrom('value').select('text').where('name', '=', 'a\0b'))).toBeDefined()
    expect(await connection.statement('select true as yes', [])).toEqual({ rows: [{ yes: true }], changes: 1 })
  })

  test('rows of values, an empty list of `in`, prepared queries', async () => {
    const { connection } = await open()
    const insert = (values: { name: string; text: string }[]) =>
      builder
        .insertInto('value')
        .columns(['name', 'text'])
        .expression(
          builder.selectFrom(rows({ name: 'text', text: 'text' }, values).as('input')).select(['name', 'text']),
        )
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet((build) => ({ text: build.ref('excluded.text') })),
        )
    expect(await connection.run(insert([]))).toEqual({ changes: 0 })
    await connection.run(
      insert([
        { name: 'a', text: '1' },
        { name: 'b "{},\\', text: "é'" },
      ]),
    )
    expect(await connection.run(insert([{ name: 'a', text: '2' }]))).toEqual({ changes: 1 })
    expect(await texts(connection)).toEqual(['a=2', 'b "{},\\=é\''])
    expect(await connection.all(builder.selectFrom('value').select('name').where('name', 'in', []))).toEqual([])
    const one = connection.prepared<{ name: string }, { text: string }>((slot) =>
      builder.selectFrom('value').select('text').where('name', '=', slot('name')),
    )
    expect([await one.get({ name: 'a' }), await one.all({ name: 'x' })]).toEqual([{ text: '2' }, []])
  })

  test('a transaction is whole, cannot be nested, and does not interleave; reads outside see only what is committed', async () => {
    const { connection } = await open()
    const order: string[] = []
    const step = (name: string) =>
      connection.transaction(async () => {
        order.push(`${name} begins`)
        await Promise.all([connection.run(put(`${name}1`, 'x')), connection.run(put(`${name}2`, 'x'))])
        expect(await texts(connection.reads)).not.toContain(`${name}1=x`)
        order.push(`${name} ends`)
      })
    await Promise.all([step('a'), connection.run(put('alone', 'x')), step('b')])
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
    const failing = connection.transaction(async () => {
      await connection.run(put('c', 'x'))
      throw new Error('stop')
    })
    await expect(failing).rejects.toThrow('stop')
    await expect(connection.transaction(() => connection.transaction(async () => 1))).rejects.toThrow('nested')
    const late: { run?: () => Promise<unknown> } = {}
    await connection.transaction(async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const running = promise.then(() => connection.run(put('late', 'x')))
      late.run = () => (resolve(), running)
    })
    await expect(late.run?.()).rejects.toThrow('not awaited')
    expect(await texts(connection)).toEqual(['a1=x', 'a2=x', 'alone=x', 'b1=x', 'b2=x'])
  })

  test('an error of a statement ends the transaction, also if its work goes on; a savepoint keeps the rest', async () => {
    const { connection } = await open()
    await connection.run(put('a', '1'))
    const swallowing = connection.transaction(async () => {
      await connection.run(put('b', '1'))
      await connection.run(put('a', '2')).catch(() => undefined)
    })
    await expect(swallowing).rejects.toThrow('duplicate key')
    await connection.transaction(async () => {
      await connection.run(put('c', '1'))
      await connection.script('savepoint one')
      await connection.run(put('a', '2')).catch(() => undefined)
      await connection.script('rollback to one; release one')
      await connection.run(put('d', '1'))
    })
    expect(await texts(connection)).toEqual(['a=1', 'c=1', 'd=1'])
  })

  test('a conflict runs the work again; one that goes on is an outage', async () => {
    const { connection, database } = await open()
    await connection.run(put('n', '0'))
    let runs = 0
    const add = (times: number) =>
      connection.transaction(async () => {
        runs++
        const row = await connection.get(builder.selectFrom('value').select('text').where('name', '=', 'n'))
        if (runs <= times) await server.sql(database, "update value set text = (text::int + 10)::text where name = 'n'")
        await connection.run(
          builder
            .updateTable('value')
            .set({ text: String(Number(row?.text) + 1) })
            .where('name', '=', 'n'),
        )
      })
    await add(2)
    expect([runs, await texts(connection)]).toEqual([3, ['n=21']])
    await expect(add(99)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
  })

  test('a connection lost before the commit runs the work again, and a read is repeated', async () => {
    const { connection, database } = await open()
    let runs = 0
    await connection.transaction(async () => {
      await connection.run(put('a', String(++runs)))
      if (runs === 1) await cut(database, "state = 'idle in transaction'")
      await connection.run(put('b', '1'))
    })
    await cut(database)
    await systemClock.sleep(50)
    expect([runs, await texts(connection)]).toEqual([2, ['a=2', 'b=1']])
  })

  /** Opens a database through a relay that cuts the connection of a commit. */
  const openThrough = async (manner: Manner) => {
    const { connection: direct, database } = await open()
    await direct.close()
    const relay = await startRelay(server.port)
    const connection = await connect(server.url(database).replace(String(server.port), String(relay.port)))
    relay.cutNextCommit(manner)
    return { connection, relay }
  }

  test.each<[Manner, number]>([
    ['before it arrives', 2],
    ['before it arrives, unnoticed by the server', 2],
    ['after it arrives', 1],
  ])('a commit whose connection is lost %s is settled: the work runs %i times', async (manner, runs) => {
    const { connection, relay } = await openThrough(manner)
    let count = 0
    const result = await connection.transaction(async () => {
      await connection.run(put(`run ${++count}`, 'x'))
      return count
    })
    expect([result, relay.cuts(), await texts(connection)]).toEqual([runs, 1, [`run ${runs}=x`]])
    // A single statement is settled alike.
    relay.cutNextCommit(manner)
    await connection.run(put('single', 'x'))
    expect([relay.cuts(), await texts(connection)]).toEqual([2, [`run ${runs}=x`, 'single=x']])
    await connection.close()
    await relay.close()
  })

  test('only one process uses a database; the error names the other, and its end frees the database', async () => {
    const { database, connection } = await open()
    const second = connect(server.url(database), 'second')
    await expect(second).rejects.toMatchObject({
      code: 'START_DATABASE',
      message: expect.stringMatching(
        /^Another Mishap uses this database: "a test \w{8}" from 127\.0\.0\.1, process \d+ /,
      ),
    })
    const third = connect(server.url(database), 'third')
    await connection.close()
    expect(await texts(await third)).toEqual([])
  }, 30_000)

  test('a process that lost its lock cannot commit any more after another took the database', async () => {
    const { database, connection: old } = await open()
    await cut(database)
    const next = await connect(server.url(database), 'next')
    await next.run(put('next', 'x'))
    await expect(old.run(put('old', 'x'))).rejects.toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      message: expect.stringContaining('taken over'),
    })
    expect(await texts(next)).toEqual(['next=x'])
  })

  test.each([
    [
      'a database that is not there',
      (url: string) => url.replace(/\w+$/, 'absent'),
      'database "absent" does not exist',
      true,
    ],
    [
      'a user that is not there',
      (url: string) => url.replace('mishap@', 'nobody:x@'),
      'role "nobody" does not exist',
      true,
    ],
    ['a server without TLS', (url: string) => `${url}?sslmode=require`, 'TLS: The server does not support SSL', true],
    ['a server that is away', (url: string) => url.replace(/:\d+\//, ':1/'), 'ECONNREFUSED', false],
    ['one of several that is there', (url: string) => url.replace('@', '@127.0.0.1:1,'), undefined, false],
  ])('%s', async (_name, change, reason, isLasting) => {
    const { database, connection } = await open()
    await connection.close()
    const opening = connect(change(server.url(database)))
    if (reason === undefined) return void expect(await texts(await opening)).toEqual([])
    await expect(opening).rejects.toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      causes: [expect.stringContaining(reason)],
      isLasting,
    })
  })

  test('a server that is read-only, and one that was killed: statements fail by code, and work again later', async () => {
    const { database, connection } = await open()
    await server.sql('postgres', `alter database ${database} set default_transaction_read_only = on`)
    await expect(connect(server.url(database))).rejects.toMatchObject({
      causes: [expect.stringContaining('read-only')],
      isLasting: true,
    })
    await server.sql('postgres', `alter database ${database} reset default_transaction_read_only`)
    await connection.run(put('a', '1'))
    await server.kill()
    await expect(connection.run(put('b', '1'))).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    await expect(texts(connection)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    await server.start()
    await connection.run(put('c', '1'))
    expect(await texts(connection)).toEqual(['a=1', 'c=1'])
  }, 60_000)

  test('the primary is killed and its synchronous standby promoted: each change is saved once or refused', async () => {
    const primary = await startPostgres()
    await primary.sql('postgres', 'create database pair')
    const standby = await startPostgres({ standbyOf: primary })
    await primary.configure({ 'postgresql.auto.conf': "synchronous_standby_names = '*'\n" })
    const connection = await connect(primary.url('pair').replace(/@([^/]+)/, `@$1,127.0.0.1:${standby.port}`))
    await connection.script(table)
    const [saved, refused]: [string[], string[]] = [[], []]
    const state = { ends: false }
    const change = async () => {
      for (let n = 0; !state.ends; n++)
        await connection.transaction(() => connection.run(put(`n${String(n).padStart(5, '0')}`, 'x'))).then(
          () => saved.push(`n${String(n).padStart(5, '0')}=x`),
          async (error: { code?: string }) => {
            refused.push(error.code ?? String(error))
            await systemClock.sleep(100)
          },
        )
    }
    const changing = change()
    await until(() => saved.length > 20)
    await primary.kill()
    await systemClock.sleep(300)
    const before = saved.length
    await standby.sql('postgres', 'select pg_promote()')
    await until(() => saved.length > before + 20)
    state.ends = true
    await changing
    expect(await texts(connection)).toEqual(saved)
    expect(refused.filter((code) => code !== 'DATABASE_UNAVAILABLE')).toEqual([])
    await connection.close()
    await Promise.all([standby.remove(), primary.remove()])
  }, 120_000)
})

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await systemClock.sleep(20)
}
