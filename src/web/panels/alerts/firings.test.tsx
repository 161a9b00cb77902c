import { NextIntlClientProvider } from 'next-intl'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { RestBackTest } from '../../../contract/alerts/alerts-back-test.ts'
import alerts from '../../messages/alerts.en.json'
import { markOf } from './back-test/noise.ts'
import { emptyDraft } from './draft.ts'
import { EditorContext } from './editor-context.ts'
import { Firings } from './firings.tsx'
import { Suggestions } from './suggestions.tsx'

const htmlOf = (node: ReactNode) =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale="en" timeZone="UTC" messages={{ alerts }}>
      {node}
    </NextIntlClientProvider>,
  )

const firing = (minute: number, group: string | null) => ({
  startMs: minute * 60_000,
  endMs: null,
  level: 'critical' as const,
  peak: 60,
  trigger: null,
  group,
  groupId: group === null ? null : `id of ${group}`,
  mostly: null,
})
const hostile = '<img src=x>\u202e'
const firings = [firing(1, '/cart'), firing(1, '/pay'), firing(9, hostile)]
const [cart, pay, last] = firings.map(markOf)
const answer = { firings, fromMs: 0, toMs: 600_000 } as unknown as RestBackTest
const valueText = String

test('of groups that fire at once, one is marked, and each button names its group', () => {
  const html = htmlOf(
    <Firings answer={answer} noise={pay ? [pay] : []} toggleNoise={() => undefined} valueText={valueText} />,
  )
  const buttons = [...html.matchAll(/aria-pressed="(\w+)" aria-label="([^"]*)"/g)].map(([, on, label]) => [on, label])
  expect(buttons).toEqual([
    ['false', 'Mark firing 3 of &lt;img src=x&gt;\u202e as noise'],
    ['true', 'Mark firing 2 of /pay as noise'],
    ['false', 'Mark firing 1 of /cart as noise'],
  ])
  expect(html).not.toContain('<img')
  const plain = { ...answer, firings: [firing(1, null)] }
  expect(htmlOf(<Firings answer={plain} noise={[]} toggleNoise={() => undefined} valueText={valueText} />)).toContain(
    'aria-label="Mark firing 1 as noise"',
  )
})

test('a suggestion counts the marked firings and names the groups of those that it loses', () => {
  const suggestion = { change: 'threshold' as const, value: 60, critical: 60, times: 0 }
  const suggest = [{ ...suggestion, avoids: pay ? [pay] : [], loses: cart && last ? [cart, last] : [] }]
  const editor = { draft: emptyDraft, change: () => undefined } as never
  const html = htmlOf(
    <EditorContext value={editor}>
      <Suggestions answer={{ ...answer, suggest }} marked={pay ? [pay] : []} valueText={valueText} />
    </EditorContext>,
  )
  const text = html.replace(/<[^>]+>/g, '')
  expect(text).toContain('It avoids 1 of 1 marked firings.')
  expect(text).toContain('Other firings that it loses: 1 (/cart), 3 (&lt;img src=x&gt;')
  expect(text).not.toContain('\u202e')
})
