import { beforeAll, describe, expect, test } from 'vitest'
import { MishapError } from '../../../base/errors.ts'
import type { Connection } from '../connection.ts'
import type { EventStore } from '../event-store.ts'
import { row, tsv } from '../events.cases.ts'
import { encodeSpanRow } from '../traces/encode-span.ts'
import { spanRow } from '../traces/span-rows.cases.ts'
import { tableFilters } from './views.ts'

const own = { id: 801, slug: 'web' }
const other = 802
const secret = 'a secret of the other organization'

/** Statements that would read something else than the rows of the project, if they ran. */
const attacks: Record<string, string[]> = {
  'another project': [
    'SELECT * FROM DB.events',
    'SELECT * FROM events',
    'SELECT * FROM `DB`.`events`',
    'SELECT * FROM "DB.events"',
    'SELECT * FROM errors WHERE project_id IN DB.events',
    'SELECT * FROM errors WHERE project_id IN (DB.events)',
    'SELECT * FROM errors WHERE project_id IN (events)',
    'SELECT 1 WHERE in(1, DB.events)',
    'SELECT 1 WHERE globalIn(1, DB.events)',
    "SELECT joinGet('DB.events', 'message', 1)",
    'SELECT * FROM errors JOIN DB.events ON 1 = 1',
    'SELECT * FROM errors, DB.events',
    'SELECT * FROM errors UNION ALL SELECT * FROM DB.events',
    'SELECT (SELECT any(message) FROM DB.events)',
    'WITH x AS (SELECT * FROM DB.events) SELECT * FROM x',
    'WITH 802 AS project_id SELECT * FROM errors',
    'SELECT * FROM errors) UNION ALL (SELECT * FROM DB.events',
    'SELECT * FROM errors AS __rows',
    'SELECT __rows.message FROM errors',
    'SELECT * FROM __with_errors',
    'SELECT * FROM merge(DB, events)',
    "SELECT * FROM merge('DB', '.*')",
    "SELECT * FROM cluster('default', DB.events)",
    'SELECT * FROM view(SELECT * FROM DB.events)',
    "SELECT * FROM mergeTreeIndex('DB', 'events')",
    'SELECT * FROM errors FINAL SAMPLE 1',
    'SELECT * FROM errors PREWHERE 1',
    "SELECT COLUMNS('.*') FROM errors",
    'SELECT * FROM /* */ DB /* */ . /* */ events',
    'SELECT * FROM errors -- \n UNION ALL SELECT * FROM DB.events',
  ],
  'a file': [
    "SELECT * FROM file('/etc/passwd', 'LineAsString')",
    "SELECT file('/etc/passwd')",
    "SELECT * FROM infile('/etc/passwd')",
    "SELECT 1 INTO OUTFILE '/tmp/stolen'",
    "INSERT INTO errors FROM INFILE '/etc/passwd' FORMAT LineAsString",
    "SELECT * FROM sqlite('meta.sqlite', 'api_token')",
    "SELECT * FROM fileCluster('default', '/etc/passwd')",
    "SELECT * FROM executable('cat', 'LineAsString', 'x String')",
  ],
  'an address': [
    "SELECT * FROM url('http://127.0.0.1/', 'LineAsString')",
    "SELECT * FROM s3('http://127.0.0.1/x')",
    "SELECT * FROM remote('127.0.0.1', system.one)",
    "SELECT * FROM remoteSecure('127.0.0.1', system.one)",
    "SELECT * FROM mysql('127.0.0.1:3306', 'a', 'b', 'c', 'd')",
    "SELECT * FROM postgresql('127.0.0.1:5432', 'a', 'b', 'c', 'd')",
    "SELECT * FROM hdfs('hdfs://127.0.0.1/x')",
    "SELECT * FROM jdbc('x', 'y')",
    "SELECT * FROM mongodb('127.0.0.1:27017', 'a', 'b', 'c', 'd', 'e')",
    "SELECT reverseDNSQuery('127.0.0.1')",
  ],
  'the server': [
    'SELECT * FROM system.tables',
    'SELECT * FROM system.processes',
    'SELECT * FROM system.query_log',
    'SELECT * FROM INFORMATION_SCHEMA.tables',
    'SELECT * FROM numbers(10)',
    'SELECT * FROM zeros(10)',
    'SELECT * FROM generateRandom()',
    'SELECT hostName()',
    'SELECT version()',
    'SELECT currentUser()',
    'SELECT currentDatabase()',
    "SELECT getSetting('max_threads')",
    "SELECT getServerPort('http_port')",
    "SELECT getMacro('x')",
    "SELECT dictGet('d', 'x', 1)",
    "SELECT hasColumnInTable('DB', 'events', 'payload')",
    'SELECT * FROM errors WHERE sleep(3)',
    'SELECT sleepEachRow(1) FROM errors',
    "SELECT catboostEvaluate('x', 1)",
    'SELECT addressToLine(1)',
    'SELECT throwIf(1)',
    'SELECT my_executable_function(1)',
    'SHOW TABLES',
    'SHOW CREATE TABLE DB.events',
    'DESCRIBE TABLE DB.events',
    'EXPLAIN SELECT 1',
    'EXISTS DB.events',
  ],
  'settings and other statements': [
    'SET max_memory_usage = 0',
    'SELECT 1 SETTINGS readonly = 0',
    'SELECT * FROM errors SETTINGS additional_table_filters = {}',
    'SELECT * FROM (SELECT 1 SETTINGS max_execution_time = 0)',
    'SELECT 1 FORMAT Native',
    'SELECT 1; DROP TABLE DB.events',
    'SELECT 1;; SELECT 2',
    'USE system',
    'DROP TABLE DB.events',
    'ALTER TABLE DB.events DELETE WHERE 1',
    'INSERT INTO DB.events SELECT 1',
    'CREATE TABLE DB.x (y Int8) ENGINE = Memory',
    'CREATE TEMPORARY TABLE x (y Int8)',
    "CREATE FUNCTION f AS x -> file('/etc/passwd')",
    'SYSTEM SHUTDOWN',
    'KILL QUERY WHERE 1',
    "BACKUP DATABASE DB TO File('x')",
    'GRANT ALL ON *.* TO mishap',
    'ATTACH TABLE x',
    'TRUNCATE TABLE DB.events',
    'SELECT {x:String}',
    'SELECT $$x$$',
    'SELECT $x$ 1 $x$',
    "SELECT 'a\0b'",
    'SELECT 1 AS `a\\`, (SELECT 1) FROM DB.events -- `',
    "SELECT 'unclosed",
    '',
    '   ',
  ],
}

/** Ways around each check of the reader that must end in the engine: what it runs has no more rights than this. */
const bare = ['SET readonly = 0', 'DROP TABLE DB.spans', 'CREATE TABLE DB.x (y Int8) ENGINE = Memory']

/** What the SQL of owners does on every events store. `connection`: to the same database, whose name is `name`. */
export function ownerSqlCases(open: () => EventStore, opened: () => { connection: Connection; name: string }): void {
  const ask = async (sql: string, projects = [own]) => open().runSql({ sql, projects })
  const cells = async (sql: string) => (await ask(sql)).rows

  beforeAll(async () => {
    const events = [1, 2, 3].map((n) =>
      row(n, { projectId: own.id, level: n === 3 ? 'fatal' : 'error', message: `it's "${n}" \\ \n \t %` }),
    )
    const foreign = [4, 5].map((n) => row(n, { projectId: other, message: secret }))
    await open().insert('events', tsv([...events, ...foreign]), 'owner-sql')
    const spans = [
      spanRow(1, { projectId: own.id, spanId: '00000000000000ab', durationUs: 2000 }),
      spanRow(2, { projectId: other, description: secret }),
    ]
    await open().insert('spans', Buffer.from(spans.map(encodeSpanRow).join('')), 'owner-sql-spans')
  })

  describe.each(Object.entries(attacks))('cannot read or change %s', (_what, statements) => {
    test.each(statements)('%s', async (statement) => {
      const sql = statement.replaceAll('DB', opened().name)
      const answered = await ask(sql).catch((error: unknown) => error)
      // A statement that a comment makes harmless may run: it then answers the project's own rows.
      if (answered instanceof Error) expect(answered).toMatchObject({ code: 'SQL_REFUSED' })
      else {
        expect(sql).toContain('--')
        expect(JSON.stringify(answered)).not.toContain(secret)
      }
    })
  })

  test('names the place of what it refuses', async () => {
    await expect(ask('SELECT level,\n  hostName() FROM errors')).rejects.toMatchObject({
      code: 'SQL_REFUSED',
      message: 'At position 17: the function hostName is not available.',
    })
    await expect(ask('SELECT nothing FROM errors')).rejects.toMatchObject({ code: 'SQL_REFUSED' })
    await expect(ask('SELECT nothing FROM errors')).rejects.not.toThrow(/FROM/)
  })

  test('reads the rows of the projects alone, whatever the statement says about projects', async () => {
    expect(await cells('SELECT count() FROM errors')).toEqual([['3']])
    expect(await cells(`SELECT count() FROM errors WHERE project_id = ${other}`)).toEqual([['0']])
    expect(await cells(`SELECT count() FROM errors WHERE 1 OR project_id = ${other}`)).toEqual([['3']])
    expect(await cells('SELECT ' + other + ' AS project_id, count() FROM errors')).toEqual([[other, '3']])
    expect(await cells('SELECT DISTINCT project, project_id FROM spans')).toEqual([['web', '801']])
    expect((await ask('SELECT count() FROM errors', [])).rows).toEqual([['0']])
    expect(JSON.stringify(await ask('SELECT * FROM errors'))).not.toContain(secret)
    expect(JSON.stringify(await ask('SELECT * FROM spans'))).not.toContain(secret)
  })

  // A condition that fails on a text, or on a division, would name the text or tell whether it is there.
  test.each([
    "SELECT count() FROM errors WHERE toUInt64(if(message LIKE 'it%', '1', message)) = 1",
    "SELECT count() FROM errors WHERE intDiv(1, message LIKE 'it%') = 1",
    "SELECT count() FROM (SELECT * FROM errors WHERE toUInt64(if(message LIKE 'it%', '1', message)) = 1) AS e",
    "SELECT countIf(toUInt64(if(message LIKE 'it%', '1', message)) = 1) FROM errors",
    "SELECT count() FROM errors AS e INNER JOIN spans AS s ON e.project_id = s.project_id WHERE intDiv(1, e.message LIKE 'it%') = 1",
    "SELECT count() FROM errors WHERE level != '' AND intDiv(1, message LIKE 'it%') = 1 AND platform = platform",
    "SELECT count() FROM errors WHERE project IN ('web') AND intDiv(1, message LIKE 'it%') = 1",
    "SELECT count() FROM errors WHERE project_id > 0 AND timestamp > '2000-01-01 00:00:00' AND intDiv(1, message LIKE 'it%') = 1",
  ])('does not compute a condition of the statement for rows of others: %s', async (statement) => {
    expect(await cells(statement)).toEqual([['3']])
  })

  test('has the columns that a person can use, and texts as they came', async () => {
    expect(await cells('SELECT message FROM errors ORDER BY timestamp LIMIT 1')).toEqual([[`it's "1" \\ \n \t %`]])
    expect(await cells("SELECT count() FROM errors WHERE message = 'it\\'s \"1\" \\\\ \\n \\t %'")).toEqual([['1']])
    expect(await cells("SELECT count() FROM errors WHERE match(message, '^it''s .\\d')")).toEqual([['3']])
    expect(await cells('SELECT event_id, trace_id FROM errors ORDER BY event_id LIMIT 1')).toEqual([
      ['1'.padStart(32, '0'), expect.stringMatching(/^[0-9a-f]{32}$/)],
    ])
    expect(await cells('SELECT span_id, duration / 1000 AS ms FROM spans')).toEqual([['00000000000000ab', 2]])
    for (const { name, columns } of open().sqlViews())
      expect(
        (await ask(`SELECT ${columns.join(', ')} FROM ${name} LIMIT 1`)).columns.map((column) => column.name),
      ).toEqual(columns)
  })

  test.each([
    [
      'levels',
      'SELECT level, count() AS n FROM errors GROUP BY level ORDER BY n DESC',
      [
        ['error', '2'],
        ['fatal', '1'],
      ],
    ],
    ['WITH', "WITH bad AS (SELECT * FROM errors WHERE level = 'fatal') SELECT count() FROM bad AS b", [['1']]],
    ['WITH under the name of a view', 'WITH spans AS (SELECT 7 AS x) SELECT x FROM spans', [[7]]],
    [
      'a subquery after IN',
      "SELECT count() FROM errors WHERE level IN (SELECT level FROM errors WHERE level LIKE 'f%')",
      [['1']],
    ],
    [
      'a list after IN',
      "SELECT count() FROM errors WHERE (level, release) NOT IN (('fatal', 'web@1.0.0'), ('x', 'y'))",
      [['2']],
    ],
    ['a join', 'SELECT count() FROM errors e LEFT JOIN spans AS s ON e.project_id = s.project_id', [['3']]],
    [
      'a lambda',
      'SELECT arrayMap(x -> x * 2, [1, 2]), arrayFilter((a, b) -> a > b, [3, 1], [2, 2])',
      [['[2,4]', '[3]']],
    ],
    ['arithmetic', 'SELECT 2 + 3 * 4 - -1, 7 % 4, (1 + 2) * 3, NOT 1 = 2 AND 1 < 2', [['15', 3, 9, 1]]],
    [
      'CASE, BETWEEN and IS NULL',
      "SELECT CASE WHEN 2 BETWEEN 1 AND 3 THEN 'in' ELSE 'out' END, NULL IS NULL",
      [['in', 1]],
    ],
    [
      'times',
      "SELECT toDateTime('2026-11-16 10:00:00', 'UTC') + INTERVAL 90 MINUTES > toDateTime('2026-11-16 11:29:59', 'UTC')",
      [[1]],
    ],
    [
      'a window',
      'SELECT level, row_number() OVER (PARTITION BY level ORDER BY timestamp) AS n FROM errors ORDER BY level, n LIMIT 1',
      [['error', '1']],
    ],
    ['LIMIT BY', 'SELECT level FROM errors ORDER BY level LIMIT 1 BY level LIMIT 5', [['error'], ['fatal']]],
    ['a percentile', 'SELECT quantile(0.5)(duration) FROM spans', [[2000]]],
    ['UNION', 'SELECT x FROM (SELECT 1 AS x UNION ALL SELECT 2) ORDER BY x', [[1], [2]]],
    ['a comment and a semicolon', '/* a */ SELECT 1 -- b\n;', [[1]]],
  ])('runs %s', async (_name, sql, wanted) => {
    expect(await cells(sql)).toEqual(wanted)
  })

  test('ends at its limits', async () => {
    const big = await ask('SELECT arrayJoin(range(20000)) AS x')
    expect([big.rows.length, big.truncated]).toEqual([10_000, true])
    await expect(ask('SELECT arrayJoin(range(100000000)) AS x')).rejects.toMatchObject({ code: 'SQL_REFUSED' })
    const memory = 'SELECT groupArray(x) FROM (SELECT arrayJoin(range(1000000)) AS x, arrayJoin(range(1000)) AS y)'
    await expect(ask(memory)).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' })
    // A constant is one text for the engine, but one for each row of the answer.
    for (const text of ["repeat('x', 900000)", "repeat('x', 900000 + x % 2)"])
      await expect(ask(`SELECT ${text} FROM (SELECT arrayJoin(range(700)) AS x) AS t`)).rejects.toMatchObject({
        code: 'QUERY_TIMEOUT',
      })
    await expect(ask(`SELECT ${'('.repeat(200)}1${')'.repeat(200)}`)).rejects.toMatchObject({ code: 'SQL_REFUSED' })
    await expect(ask(`SELECT ${'1+'.repeat(9000)}1, ${'NOT '.repeat(400)}1`)).rejects.toMatchObject({
      code: 'SQL_REFUSED',
    })
    await expect(ask("SELECT repeat('x', 900000) FROM errors, errors")).rejects.toMatchObject({ code: 'SQL_REFUSED' })
  }, 60_000)

  test('a read with a limit of memory has one of its answer', async () => {
    const read = (rows: number) =>
      opened().connection.read(
        `SELECT repeat('x', 900000 + number % 2) FROM numbers(${rows})`,
        {},
        { memoryBytes: 400 * 2 ** 20 },
      )
    expect((await read(30)).rows).toHaveLength(30)
    await expect(read(50)).rejects.toMatchObject({ code: 'QUERY_TIMEOUT', causes: ['memory'] })
  })

  test('the engine itself refuses what the reader would have let through', async () => {
    const { connection, name } = opened()
    const filters = { additional_table_filters: tableFilters(name, [own]) }
    const found = await connection.readOnly(
      `SELECT count(), countIf(message = '${secret}') FROM ${name}.events`,
      filters,
    )
    expect(found.data).toEqual([['3', '0']])
    const spans = await connection.readOnly(`SELECT count() FROM ${name}.spans`, filters)
    expect(spans.data).toEqual([['1']])
    const loosened = `SELECT count() FROM ${name}.events SETTINGS additional_table_filters = {}, max_threads = 3`
    // A server's refusal is the cause of STORE_UNAVAILABLE: there, it is a fault of the profile of its user.
    const refusal = async (statement: string): Promise<string> => {
      const error = await connection.readOnly(statement, filters).catch((cause: unknown) => cause)
      return error instanceof MishapError ? error.causes.join(' ') : String(error)
    }
    expect(await refusal(loosened)).toMatch(/readonly/i)
    for (const statement of bare) expect(await refusal(statement.replaceAll('DB', name))).toMatch(/readonly|syntax/i)
    expect((await connection.readOnly(`SELECT count() FROM ${name}.spans`, filters)).data).toEqual([['1']])
  })
}
