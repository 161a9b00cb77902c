import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import issuepage from '../../../messages/issuepage.en.json' with { type: 'json' }
import issues from '../../../messages/issues.en.json' with { type: 'json' }
import { sampleFrame } from '../sample.cases.ts'
import { Exceptions } from './stack.tsx'

const frames = [
  sampleFrame({ filename: 'lib.js', function: 'inLibrary' }),
  sampleFrame({ function: 'mine', inApp: true }),
]

test.each(['app', 'all'] as const)('opened with %s: frames of libraries are folded or not', (initialView) => {
  const stacktrace = { frames, framesOmitted: null, hasSystemFrames: true, registers: null }
  const value = {
    type: 'Error',
    value: 'x',
    module: null,
    mechanism: null,
    threadId: null,
    rawStacktrace: null,
    stacktrace,
  }
  const html = renderToStaticMarkup(
    <NextIntlClientProvider locale="en" timeZone="UTC" messages={{ issues, issuepage }}>
      <Exceptions values={[value]} initialView={initialView} title={{ type: 'Error', value: 'x' }} note={undefined} />
    </NextIntlClientProvider>,
  )
  expect(html).toContain('mine')
  expect(html.includes('inLibrary')).toBe(initialView === 'all')
})
