import { NextIntlClientProvider } from 'next-intl'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import common from '../../messages/en.json'
import spans from '../../messages/spans.en.json'
import { NowProvider } from '../../ui/time.tsx'
import { Facets } from './facets.tsx'
import { Failures, Histogram } from './histogram.tsx'

const textOf = (node: ReactNode): string =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale="en" timeZone="UTC" messages={{ ...common, spans }}>
      <NowProvider startMs={0}>{node}</NowProvider>
    </NextIntlClientProvider>,
    // A title is seen on hover only.
  )
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
const none = () => {}
const bars = [
  { fromMs: 1, toMs: 2, count: 300, failed: 0 },
  { fromMs: 2, toMs: 3, count: 100, failed: 0 },
]
const facet = (weight: number) => [
  {
    key: 'span.op',
    values: [
      { value: 'db', count: 30 * weight, samples: 30 },
      { value: 'http', count: 10 * weight, samples: 10 },
    ],
  },
]

describe.each([
  ['sampled', 10, true],
  ['sent whole', 1, false],
])('spans that are %s', (_name, weight, isSampled) => {
  const of = { samples: 40, count: 40 * weight }
  test.each<[string, () => ReactNode]>([
    ['durations', () => <Histogram bars={bars} of={of} select={none} clear={undefined} />],
    [
      'failures',
      () => <Failures series={[]} of={of} bucketMs={1000} range={{ fromMs: 0, toMs: 2000 }} select={none} />,
    ],
    ['values', () => <Facets facets={facet(weight)} q="" search={none} />],
  ])('the %s say it: %s', (_chart, nodeOf) => {
    expect(textOf(nodeOf()).includes('40 stored of about 400')).toBe(isSampled)
    if (!isSampled) expect(textOf(nodeOf())).not.toContain('of about')
  })
})
