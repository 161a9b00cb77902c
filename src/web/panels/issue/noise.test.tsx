import { AppRouterContext, type AppRouterInstance } from 'next/dist/shared/lib/app-router-context.shared-runtime.js'
import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { RestIssueDetail } from '../../../contract/issues.ts'
import { noiseKinds } from '../../../domain/diagnostics.ts'
import messages from '../../messages/en.json'
import filters from '../../messages/filters.en.json'
import issues from '../../messages/issues.en.json'
import noise from '../../messages/noise.en.json'
import { NoiseBar } from './noise.tsx'
import { sampleIssue } from './sample.cases.ts'

type Change = Partial<Pick<RestIssueDetail, 'noise' | 'noiseFilter' | 'status'>>
const extension = { kind: 'extension', sentence: noiseKinds.extension } as const
const filter = (isActive: boolean) => ({ id: 'browser-extensions', isActive })

const router = { push() {}, prefetch() {} } as unknown as AppRouterInstance

/** The bar's text without markup. */
function shown(change: Change, may: { canFilter?: boolean; canTriage?: boolean } = {}): string {
  const given = { noise: extension, noiseFilter: null, ...change }
  const detail = { ...sampleIssue(), ...given } as RestIssueDetail
  const all = { ...messages, filters, issues, noise }
  const html = renderToStaticMarkup(
    <AppRouterContext value={router}>
      <NextIntlClientProvider locale="en" timeZone="UTC" messages={all}>
        <NoiseBar
          organization={'acme'}
          detail={detail}
          canFilter={true}
          canTriage={true}
          {...may}
          archive={() => {}}
          changed={() => {}}
        />
      </NextIntlClientProvider>
    </AppRouterContext>,
  )
  return html.replace(/<button[^>]* disabled=""[^>]*>/g, '[off]').replace(/<[^>]+>/g, '')
}

test('nothing without a verdict', () => {
  expect(shown({ noise: null })).toBe('')
})

test.each<[string, Change, Parameters<typeof shown>[1], string[], string[]]>([
  ['a filter that is off', { noiseFilter: filter(false) }, {}, ['Drop events like these from now on'], ['Archive']],
  ['one that is on', { noiseFilter: filter(true) }, {}, ['drops events like these', 'Turn it off'], ['from now on']],
  [
    'who may not switch it is told who may',
    { noiseFilter: filter(false) },
    { canFilter: false },
    ['Owners and admins can drop', 'Errors of browser extensions'],
    ['from now on'],
  ],
  ['nor switch it off', { noiseFilter: filter(true) }, { canFilter: false }, ['drops events'], ['Turn it off']],
  ['no filter', {}, {}, ['Archive this issue', 'No inbound filter'], ['[off]']],
  ['no filter, for who only looks', {}, { canTriage: false }, ['[off]Archive this issue'], []],
  ['no filter, archived', { status: 'ignored' }, {}, ['The issue is archived'], ['Archive this issue']],
])('%s', (_says, change, may, there, missing) => {
  const text = shown(change, may)
  for (const item of ['A browser extension threw it.', 'Each of its 9 events', ...there]) expect(text).toContain(item)
  for (const item of missing) expect(text).not.toContain(item)
})
