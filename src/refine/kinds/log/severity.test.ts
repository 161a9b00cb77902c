import { expect, test } from 'vitest'
import { severityOf, severityOfPriority } from './severity.ts'

test.each<[unknown, unknown, 'text' | 'number', string]>([
  [9, 'info', 'text', '9 info'],
  [undefined, 'trace', 'text', '1 trace'],
  [undefined, 'warn', 'text', '13 warning'],
  [undefined, 'WARNING', 'text', '13 warning'],
  [undefined, 'fatal', 'text', '21 fatal'],
  [18, 'error', 'text', '18 error'],
  [9, 'error', 'text', '17 error'],
  [9, 'ERROR', 'number', '9 info'],
  [17, undefined, 'number', '17 error'],
  [24, '', 'number', '24 fatal'],
  [1, '', 'number', '1 trace'],
  [0, 'INFO', 'number', '9 info'],
  [0, 'ERROR3', 'number', '19 error'],
  [0, 'Critical', 'number', '21 fatal'],
  [25, 'debug', 'number', '5 debug'],
  [2.5, 'notice', 'number', '10 info'],
  [undefined, 'INFO5', 'number', 'none'],
  [undefined, 'made up', 'text', 'none'],
  [undefined, 'constructor', 'text', 'none'],
  [undefined, 7, 'text', 'none'],
  ['9', undefined, 'text', 'none'],
])('number %j and text %j, the %s first: %s', (number, text, wins, expected) => {
  const found = severityOf(number, text, wins)
  expect(found ? `${found.severity} ${found.level}` : 'none').toBe(expected)
})

test.each([
  [0, '21 fatal'],
  [3, '17 error'],
  [4, '13 warning'],
  [5, '10 info'],
  [7, '5 debug'],
  [190, '9 info'],
  [40, '21 fatal'],
])('the syslog priority %d', (priority, expected) => {
  const { severity, level } = severityOfPriority(priority)
  expect(`${severity} ${level}`).toBe(expected)
})
