import { expect, test } from 'vitest'
import { shownStateOf } from './rule-state.tsx'

const now = Date.parse('2026-11-23T12:00:00Z')
const state = { reason: '', reasonCode: null, since: null, evaluatedTo: null, value: null, groups: null }
const rule = { isActive: true, mutedUntil: null, unevaluable: [], state: { ...state, status: 'critical' as const } }

test.each([
  ['its own', rule, 'critical'],
  ['muted, until then', { ...rule, mutedUntil: '2026-11-23T13:00:00Z' }, 'muted'],
  ['its own again after it', { ...rule, mutedUntil: '2026-11-23T11:00:00Z' }, 'critical'],
  ['paused, although muted', { ...rule, isActive: false, mutedUntil: '2026-11-23T13:00:00Z' }, 'inactive'],
  ['paused with deleted projects', { ...rule, state: { ...state, status: 'inactive' as const } }, 'inactive'],
])('the state of a rule is %s', (_case, shown, expected) => {
  expect(shownStateOf(shown, now)).toBe(expected)
})
