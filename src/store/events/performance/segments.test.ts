import { expect, test } from 'vitest'
import { createValues } from '../reading/filter.ts'
import { compileSpanScope } from './segments.ts'

const scope = { environments: [], fromMs: Date.UTC(2026, 10, 16), toMs: Date.UTC(2026, 10, 23) }

test.each([
  [[7], 'project_id = {p0:UInt64}'],
  [[7, 7], 'project_id = {p0:UInt64}'],
  [[7, 8], 'project_id IN {p0:Array(UInt64)}'],
])('spans of the projects %j are found by %s, and no time of receipt is read', (projectIds, condition) => {
  const sql = compileSpanScope(createValues(), { ...scope, projectIds })
  expect(sql).toContain(condition)
  expect(sql.replace(/indexHint\([^)]*\)\)/, '')).not.toContain('received')
  expect(sql).toMatch(/indexHint\(received >= /)
})
