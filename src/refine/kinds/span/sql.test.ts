import { describe, expect, test } from 'vitest'
import { parameterizedSql } from './sql.ts'

describe('a statement without its values', () => {
  test.each([
    ['SELECT * FROM items WHERE order_id = 7', 'postgresql', 'SELECT * FROM items WHERE order_id = ?'],
    ['select a,b from t where x=-5 and y>-1.5e-7', '', 'select a, b from t where x = ? and y > ?'],
    ['SELECT a-1, a - b FROM t', '', 'SELECT a - ?, a - b FROM t'],
    [
      "SELECT * FROM u WHERE name = 'O''Brien' AND x = E'a\\'b'",
      'postgresql',
      'SELECT * FROM u WHERE name = ? AND x = ?',
    ],
    [
      'SELECT "order"."id" FROM "order" WHERE "order"."c" = $1 LIMIT 20',
      'postgresql',
      'SELECT "order"."id" FROM "order" WHERE "order"."c" = ? LIMIT ?',
    ],
    ['SELECT * FROM `t` WHERE a = "x\\"y" # note', 'mysql', 'SELECT * FROM `t` WHERE a = ?'],
    ['SELECT * FROM t WHERE id IN (1, 2,3 , $4)', '', 'SELECT * FROM t WHERE id IN (?)'],
    ['SELECT * FROM t WHERE id in(?,?)', '', 'SELECT * FROM t WHERE id in (?)'],
    [
      "INSERT INTO t (a, b) VALUES (1, 'x'), (2, 'y'), (3, 'z') RETURNING id",
      '',
      'INSERT INTO t (a, b) VALUES (?) RETURNING id',
    ],
    ['UPDATE t SET a = :name, b = %s, c = %(key)s WHERE d = @p1', '', 'UPDATE t SET a = ?, b = ?, c = ? WHERE d = ?'],
    ['SELECT id::text, count(*) FROM t', 'postgresql', 'SELECT id::text, count(*) FROM t'],
    ['SELECT 1 /* trace=00-abc */ -- end', '', 'SELECT ?'],
    ["SELECT $$a b$$, $q$ it's $q$ FROM t", 'postgresql', 'SELECT ? FROM t'],
    ['SAVEPOINT "s140_x7"', 'postgresql', 'SAVEPOINT ?'],
    ['SAVEPOINT s140_x7;', '', 'SAVEPOINT ?'],
    ['SELECT * FROM log_20241231 WHERE a = 0xFF', '', 'SELECT * FROM log_? WHERE a = ?'],
    ['SELECT a[1] FROM t', 'postgresql', 'SELECT a[?] FROM t'],
    ["SELECT 'cut off in the mid", '', 'SELECT ?'],
    ['SELECT /* cut off', '', 'SELECT'],
    ['', '', ''],
  ])('%s', (sql, system, expected) => {
    expect(parameterizedSql(sql, system)).toBe(expected)
  })

  test.each([
    ['SELECT * FROM items WHERE a IN (?) AND b = ?'],
    ['INSERT INTO t (a, b) VALUES (?)'],
    ['SELECT "a"."b", count(*) FROM "a" LIMIT ?'],
  ])('it stays as it is when it is parameterized again: %s', (sql) => {
    expect(parameterizedSql(sql, 'postgresql')).toBe(sql)
  })

  test.each([
    ['quotes', "'".repeat(200_000)],
    ['comments', '/*'.repeat(100_000)],
    ['dollars', '$a$b'.repeat(50_000)],
    ['parentheses', '(?),'.repeat(50_000)],
    ['words', 'a1'.repeat(100_000)],
    ['operators', '-+'.repeat(100_000)],
    ['digits', '1e'.repeat(100_000)],
  ])('a megabyte of %s ends within the time of a test, which quadratic time does not', (_name, sql) => {
    expect(parameterizedSql(sql.repeat(5), 'postgresql').length).toBeLessThanOrEqual(sql.length * 10)
  })
})
