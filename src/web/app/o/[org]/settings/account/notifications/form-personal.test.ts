import { expect, test } from 'vitest'
import { changeIn } from './form-personal.ts'

const read = (fields: Record<string, string>) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  return changeIn(data)
}
const nothing = { assigned: [], mention: [], followed: [], release: [], alert: [], on_call: [] }

test('an empty form switches everything off', () => {
  expect(read({})).toEqual({
    kinds: nothing,
    digest: 'off',
    report: false,
    projects: {},
    quietHours: null,
    timeZone: '',
  })
})

test('boxes, selects and times are read; what the form does not offer is not', () => {
  expect(
    read({
      'mention.email': 'on',
      'alert.email': 'yes',
      'alert.pigeon': 'on',
      digest: 'weekly',
      report: 'on',
      'project.web': 'mine',
      'project.shop': '',
      'project.api': 'everything',
      other: 'none',
      quietFrom: '22:00',
      quietTo: '',
      timeZone: ' Europe/Berlin ',
    }),
  ).toEqual({
    kinds: { ...nothing, mention: ['email'] },
    digest: 'weekly',
    report: true,
    projects: { web: 'mine' },
    quietHours: { from: '22:00', to: '' },
    timeZone: 'Europe/Berlin',
  })
  expect(read({ digest: 'hourly' }).digest).toBe('off')
})

test('places of a project of its own are read when they are chosen, and only then', () => {
  const boxes = { 'own:web:mention.push': 'on', 'own:web:on_call.push': 'on', 'own:web:alert.email': 'on' }
  expect(read({ 'project.web': 'own', ...boxes }).projects).toEqual({
    web: { kinds: { assigned: [], mention: ['push'], followed: [], release: [], alert: ['email'] } },
  })
  expect(read({ 'project.web': 'none', ...boxes }).projects).toEqual({ web: 'none' })
  expect(read({ 'mention.push': 'on', 'mention.email': 'on' }).kinds?.mention).toEqual(['email', 'push'])
})
