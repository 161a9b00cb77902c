import { describe, expect, test } from 'vitest'
import { randomOf } from '../../../random.cases.ts'
import { functionOf } from './functions.ts'
import { statementOf } from './statement.ts'
import { sqlViews, tableFilters } from './views.ts'

const projects = [
  { id: 1, slug: 'web' },
  { id: 2, slug: `it's \\ "x"` },
]
const written = (sql: string) => statementOf(sql, 'mishap', projects)
/** A statement over a view, with the subquery of the view as its name alone. */
const short = (sql: string) => written(sql).replace(/\(SELECT transform\(.*?IN \(1, 2\)\)/g, 'VIEW')

describe('a statement is written anew', () => {
  test.each([
    ['select 1', 'SELECT 1'],
    ['SELECT Level, COUNT(*) FROM errors;', 'SELECT `Level`, count(*) FROM VIEW AS `errors`'],
    ["SELECT 'it''s', 'a\\'b', '\\d\\n' AS x", "SELECT 'it\\'s', 'a\\'b', '\\\\d\n' AS `x`"],
    ['SELECT "a b" y FROM errors e', 'SELECT `a b` AS `y` FROM VIEW AS `e`'],
    [
      'SELECT a+b*c-d, -a, a||b FROM errors',
      'SELECT (`a` + (`b` * `c`) - `d`), (-`a`), (`a` || `b`) FROM VIEW AS `errors`',
    ],
    ['SELECT 1 WHERE NOT a = 1 AND b OR c', 'SELECT 1 WHERE (((NOT (`a` = 1)) AND `b`) OR `c`)'],
    ['SELECT 1 WHERE not not a', 'SELECT 1 WHERE `a`'],
    ["SELECT 1 WHERE a IN (1, -2, 'x', NULL, (1, 2))", "SELECT 1 WHERE (`a` IN (1, -2, 'x', NULL, (1, 2)))"],
    ['SELECT 1 WHERE a NOT IN (SELECT b FROM spans)', 'SELECT 1 WHERE (`a` NOT IN (SELECT `b` FROM VIEW AS `spans`))'],
    ["SELECT tags['a'][1], [1, 2], (1, a)", "SELECT `tags`['a'][1], [1, 2], (1, `a`)"],
    ['SELECT quantile(0.9)(x), uniq(DISTINCT y)', 'SELECT quantile(0.9)(`x`), uniq(DISTINCT `y`)'],
    [
      'WITH a AS (SELECT 1 AS x) SELECT x FROM a',
      'WITH `__with_a` AS (SELECT 1 AS `x`) SELECT `x` FROM `__with_a` AS `a`',
    ],
    ['SELECT * FROM (SELECT 1) AS t CROSS JOIN errors', 'SELECT * FROM (SELECT 1) AS `t` CROSS JOIN VIEW AS `errors`'],
    ['SELECT 1 LIMIT 5, 6', 'SELECT 1 LIMIT 5, 6'],
    [
      'SELECT a ORDER BY a DESC NULLS LAST LIMIT 1 OFFSET 2',
      'SELECT `a` ORDER BY `a` DESC NULLS LAST LIMIT 1 OFFSET 2',
    ],
    ['SELECT 1 GROUP BY ALL HAVING count() > 1', 'SELECT 1 GROUP BY ALL HAVING (count() > 1)'],
    ['SELECT 1 -- SETTINGS x = 1', 'SELECT 1'],
  ])('%s', (sql, wanted) => {
    expect(short(sql)).toBe(wanted)
  })

  test('a view is a subquery with the projects and their slugs as literals', () => {
    const sql = written('SELECT project FROM errors')
    expect(sql).toContain("transform(__rows.project_id, [1, 2], ['web', 'it\\'s \\\\ \"x\"'], '') AS project")
    expect(sql).toContain('FROM mishap.events AS __rows PREWHERE __rows.project_id IN (1, 2)) AS `errors`')
    expect(statementOf('SELECT 1 FROM spans', 'mishap', [])).toContain('WHERE __rows.project_id IN (0))')
    expect(tableFilters('mishap', projects)).toContain("'mishap.events': 'project_id IN (1, 2)'")
  })

  test('a name of WITH is gone behind its query', () => {
    expect(() => written('SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a) AS b CROSS JOIN a')).toThrow(/no view a/)
    expect(() => written('WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a')).toThrow(/no view b/)
  })
})

test.each([
  ['SELECT', 7],
  ['SELECT a b c', 12],
  ['SELECT 1 FROM nowhere', 22],
  ['SELECT a FROM errors WHERE a IN (b)', 34],
  ['SELECT a FROM errors LIMIT a', 28],
  ['SELECT nothing(1)', 8],
  ['SELECT 1 UNION SELECT 2', 16],
  ['SELECT 1 ?', 10],
  ['SELECT `__rows`', 8],
  ['SELECT "unclosed', 8],
  [`SELECT ${'('.repeat(100)}1`, 67],
])('%s is refused at its place', (sql, position) => {
  expect(() => written(sql)).toThrow(new RegExp(`^At position ${position}: `))
})

/** Pieces of statements: those that the reader knows, and those that must never get through. */
const pieces =
  `SELECT FROM WHERE GROUP BY ORDER LIMIT WITH AS IN NOT AND OR ( ) ( ) , , . * + - = < 1 2.5 'x' \`y\` "z" a b errors
  spans count( sum( file( url( remote( system.tables mishap.events events numbers( SETTINGS FORMAT Native INTO OUTFILE
  UNION ALL JOIN ON USING CASE WHEN THEN END INTERVAL 1 DAY [ ] -> x ; /* */ -- {p:String} $$ :: ? LIKE BETWEEN IS NULL
  INSERT DROP TABLE SET readonly = 0 DISTINCT OVER PARTITION dictGet( getSetting( cluster( merge( s3( executable(`.split(
    /\s+/,
  )
/** Every word outside of quotes that a written statement may have. */
const words = new Set(
  `SELECT DISTINCT FROM WHERE GROUP BY ALL HAVING ORDER ASC DESC NULLS FIRST LAST LIMIT OFFSET WITH AS IN NOT AND OR IS NULL
  TRUE FALSE LIKE ILIKE BETWEEN CASE WHEN THEN ELSE END INTERVAL SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR UNION
  INTERSECT EXCEPT JOIN INNER LEFT RIGHT FULL CROSS ANY ON USING OVER PARTITION`.split(/\s+/),
)

/** The words outside of quotes, besides allowed functions. */
const strangers = (sql: string): string[] =>
  (sql.replace(/'(?:[^'\\]|\\.)*'|`[^`]*`/g, ' ').match(/[A-Za-z_][\w.]*/g) ?? []).filter(
    (word) => !words.has(word) && functionOf(word) !== word,
  )

test('whatever a text is: what gets through has no other word outside of quotes', () => {
  const random = randomOf(21)
  const pick = () => pieces[Math.floor(random() * pieces.length)] ?? ''
  let accepted = 0
  for (let round = 0; round < 60_000; round++) {
    const tail = Array.from({ length: 1 + Math.floor(random() * 7) }, pick).join(' ')
    const start = ['SELECT a', 'SELECT count() FROM errors', 'SELECT 1 WHERE', 'SELECT', 'WITH a AS (SELECT 1) SELECT'][
      round % 5
    ]
    let sql: string
    try {
      sql = short(`${start} ${tail}`)
    } catch (error) {
      expect(error).toMatchObject({ code: 'SQL_REFUSED' })
      continue
    }
    accepted++
    expect(
      strangers(sql).filter((word) => word !== 'VIEW'),
      `${start} ${tail}`,
    ).toEqual([])
  }
  expect(accepted).toBeGreaterThan(1000)
})

test('each kind of data has a view', () => {
  expect(sqlViews().map(({ name }) => name)).toEqual(['errors', 'spans', 'logs', 'metrics'])
  expect(written('SELECT name, sum(value) FROM metrics GROUP BY name')).toContain(
    'FROM mishap.metrics AS __rows PREWHERE __rows.project_id IN (1, 2)) AS `metrics`',
  )
  expect(tableFilters('mishap', projects)).toContain("'mishap.metrics': 'project_id IN (1, 2)'")
})

test('views have columns, and none that only the program uses', () => {
  for (const { name, columns } of sqlViews()) {
    expect([name, columns.includes('project'), columns.includes('project_id')]).toEqual([name, true, true])
    expect(columns).not.toEqual(expect.arrayContaining(['jpos', 'place', 'gen', 'hashes']))
    expect(new Set(columns).size).toBe(columns.length)
  }
})
