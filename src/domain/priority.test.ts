import { describe, expect, test } from 'vitest'
import { isHighPriority, isPriorityRaised } from './priority.ts'

const issue = (level: string, substatus: string | null = null, priority: string | null = null) => ({
  level,
  substatus,
  priority,
})

describe('a priority', () => {
  test.each([
    [issue('fatal'), true],
    [issue('error'), true],
    [issue('unknown'), true],
    [issue('warning'), false],
    [issue('info'), false],
    [issue('debug'), false],
    [issue('debug', 'escalating'), true],
    [issue('info', 'new'), false],
    [issue('info', null, 'high'), true],
    [issue('fatal', 'escalating', 'low'), false],
  ])('of %j is high: %s', (one, high) => {
    expect(isHighPriority(one)).toBe(high)
  })

  test.each([
    [issue('warning'), issue('error'), true],
    [issue('info'), issue('warning'), true],
    [issue('error'), issue('fatal'), false],
    [issue('error'), issue('warning'), false],
    [issue('info'), issue('info', 'escalating'), true],
    [issue('error'), issue('error', 'escalating'), false],
    [issue('error', null, 'low'), issue('error', null, 'medium'), true],
    [issue('error', null, 'low'), issue('fatal', 'escalating', 'low'), false],
    [issue('error', null, 'low'), issue('error'), true],
    [issue('error'), issue('error'), false],
  ])('from %j to %j is raised: %s', (before, after, raised) => {
    expect(isPriorityRaised(before, after)).toBe(raised)
  })
})
