import { expect, test } from 'vitest'
import { isJobOp } from './job-ops.ts'

test.each([
  ['queue.process', true],
  ['task', true],
  ['function.aws', true],
  ['', true],
  ['pageload', false],
  ['http.server', false],
  ['httpd', true],
  ['ui.load', false],
  ['db', false],
])('the op %j is a job: %s', (op, isJob) => expect(isJobOp(op)).toBe(isJob))
