import { describe, expect, test } from 'vitest'
import { noFilters } from '../../../domain/filters.ts'
import type { ProjectSettings } from '../../../store/meta/meta.ts'
import {
  attributesOf,
  fieldOf,
  jsonLog,
  jsonLogsBody,
  logsProtobufOf,
  spanHex,
  startNano,
  traceHex,
} from '../../../wire/otlp.cases.ts'
import { type OtlpFormat, otlpContentType, otlpItemsMax } from '../../../wire/otlp.ts'
import { createOtlpWalk } from '../../../wire/otlp-walk.ts'
import { refineBody } from '../../pipeline/fixture.cases.ts'
import { sumOf } from '../kind.ts'

type Body = ReturnType<typeof jsonLogsBody>
const encoders: Record<OtlpFormat, (body: Body) => Buffer> = {
  protobuf: logsProtobufOf,
  json: (body) => Buffer.from(JSON.stringify(body)),
}
const headOf = (format: OtlpFormat) => ({ kind: 'otlp_logs', contentType: otlpContentType[format] }) as const
const refined = (format: OtlpFormat, body: Body, settings?: Partial<ProjectSettings>) =>
  refineBody(encoders[format](body), headOf(format), settings)
type Refined = ReturnType<typeof refineBody>
const rowsOf = ({ logs }: Refined) => logs.flatMap(({ rows }) => rows)
const endsOf = ({ outcomes, logs }: Refined) =>
  [...logs.flatMap((group) => group.outcomes), ...outcomes].map(
    (end) => `${end.itemType} ${end.category} ${end.outcome} ${end.reason} ${end.quantity}`,
  )

const resource = {
  'service.name': 'billing',
  'service.version': 'billing@1.4.2',
  'deployment.environment.name': 'live',
  'telemetry.sdk.language': 'nodejs',
  'host.name': 'b-7',
}

describe.each<OtlpFormat>(['protobuf', 'json'])('%s', (format) => {
  test('a record with everything', () => {
    const body = jsonLogsBody(
      [
        jsonLog(1, {
          severityNumber: 18,
          severityText: 'Error',
          attributes: attributesOf({
            'order.id': 17,
            ratio: 0.25,
            ok: true,
            list: ['a', 1],
            'user.id': 'u-7',
            'http.method': 'GET',
          }),
          droppedAttributesCount: 3,
        }),
      ],
      resource,
    )
    expect(rowsOf(refined(format, body))).toMatchObject([
      {
        timeUs: Number(startNano / 1000n) + 1000,
        traceId: traceHex,
        spanId: spanHex(1),
        severity: 18,
        level: 'error',
        body: 'cart 1 loaded',
        template: '',
        service: 'billing',
        host: 'b-7',
        logger: 'tests',
        release: 'billing@1.4.2',
        environment: 'live',
        platform: 'node',
        origin: 'otlp',
        repaired: 0,
        place: 0,
        attributes: {
          'order.id': 17,
          ratio: 0.25,
          ok: true,
          list: ['a', 1],
          'http.request.method': 'GET',
          'otel.scope.version': '1.0',
          'otel.dropped_attributes_count': 3,
        },
      },
    ])
  })

  test('bodies that are no text become JSON, and records without ids or times are stored', () => {
    const structured = { kvlistValue: { values: attributesOf({ order: { items: [{ id: 1 }, { id: 2 }] } }) } }
    const rows = rowsOf(
      refined(
        format,
        jsonLogsBody([
          jsonLog(1, { body: structured }),
          jsonLog(2, { body: undefined, eventName: 'cart.opened', traceId: undefined, spanId: undefined }),
          jsonLog(3, { timeUnixNano: undefined, observedTimeUnixNano: String(startNano) }),
          jsonLog(4, { severityNumber: 0, severityText: '' }),
          jsonLog(5, { severityNumber: 0, severityText: 'loud' }),
        ]),
      ),
    )
    expect(rows).toMatchObject([
      { body: '{"order":{"items":[{"id":1},{"id":2}]}}' },
      { body: 'cart.opened', traceId: '', spanId: '', attributes: { 'event.name': 'cart.opened' } },
      { timeUs: Number(startNano / 1000n), repaired: 0 },
      { level: 'info', severity: 9, repaired: 0 },
      { level: 'info', repaired: 1 },
    ])
  })

  test('secrets leave records', () => {
    const body = jsonLogsBody([
      jsonLog(1, {
        body: { kvlistValue: { values: attributesOf({ user: { password: 'PLANTED1' } }) } },
        attributes: attributesOf({ api_key: 'PLANTED2', note: 'password=PLANTED3' }),
      }),
    ])
    expect(JSON.stringify(rowsOf(refined(format, body)))).not.toContain('PLANTED')
  })

  test('the project filters a resource by its release, and what is stored keeps its place', () => {
    const filters = { ...noFilters, releases: ['billing@1.*'] }
    const [first] = jsonLogsBody([jsonLog(1), jsonLog(2)], resource).resourceLogs
    const [other] = jsonLogsBody([jsonLog(3)], { 'service.version': 'other@2' }).resourceLogs
    const all = refined(format, { resourceLogs: [first, other] } as Body, { filters })
    expect(endsOf(all)).toEqual(['otlp_logs log_item stored ok 1', 'otlp_logs log_item filtered release_version 2'])
    expect(all.logs.map(({ index, place }) => [index, place])).toEqual([[1, 2]])
  })

  test('records over the limit count as the answer said, and groups have keys and places of their own', () => {
    const records = Array.from({ length: otlpItemsMax + 7 }, () => ({ severityNumber: 9 }))
    const body = encoders[format](jsonLogsBody(records))
    const walk = createOtlpWalk(format, 'logs')
    walk.push(body)
    const all = refineBody(body, headOf(format))
    expect(endsOf(all)).toContain(`otlp_logs log_item invalid too_many_items ${walk.rejected}`)
    expect([all.received, sumOf(all.logs.flatMap(({ outcomes }) => outcomes))]).toEqual([walk.items, otlpItemsMax])
    expect(new Set(all.logs.map(({ key }) => key)).size).toBe(otlpItemsMax / 1000)
    expect(new Set(rowsOf(all).map(({ place }) => place)).size).toBe(otlpItemsMax)
  })

  test('one item of a dead letter is refined alone', () => {
    const records = Array.from({ length: 1500 }, (_, n) => jsonLog(n))
    const body = encoders[format](jsonLogsBody(records))
    const again = refineBody(body, { ...headOf(format), onlyItem: 1 })
    expect([again.received, rowsOf(again).length, again.logs[0]?.place]).toEqual([500, 500, 1000])
  })
})

test('what is no message has one outcome', () => {
  expect(endsOf(refineBody('x', headOf('protobuf')))).toEqual(['otlp_logs log_item invalid bad_item 1'])
  expect(endsOf(refineBody('{', headOf('json')))).toEqual(['otlp_logs log_item invalid bad_json 1'])
})

test('a broken record does not take the next one with it', () => {
  const scope = Buffer.concat([fieldOf(2, Buffer.from([0x0a, 0x7f])), fieldOf(2, fieldOf(3, Buffer.from('WARN')))])
  const all = refineBody(fieldOf(1, fieldOf(2, scope)), headOf('protobuf'))
  expect(endsOf(all)).toEqual(['otlp_logs log_item stored ok 1', 'otlp_logs log_item invalid bad_item 1'])
  expect(rowsOf(all)).toMatchObject([{ level: 'warning' }])
})

test('a large resource is not repeated without end', () => {
  const wide = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`k8s.label.${n}`, 'x'.repeat(60)]))
  const records = Array.from({ length: 20_000 }, () => ({ severityNumber: 9 }))
  const body = logsProtobufOf(jsonLogsBody(records, wide))
  const rows = rowsOf(refineBody(body, headOf('protobuf')))
  const bytes = rows.reduce((sum, { attributes }) => sum + JSON.stringify(attributes).length, 0)
  expect(bytes).toBeLessThan(2 * (800 * 1024 + 4 * body.length))
  expect(rows.at(-1)?.repaired).toBeGreaterThan(0)
})

describe.each<OtlpFormat>(['protobuf', 'json'])('%s', (format) => {
  test('the work for a line does not grow with its resource', () => {
    const large = Object.fromEntries(Array.from({ length: 990 }, (_, at) => [`key${at}`, 'x'.repeat(5000)]))
    const records = Array.from({ length: 5000 }, (_, at) => jsonLog(at + 1))
    const rows = rowsOf(refined(format, jsonLogsBody(records, { ...large, 'service.version': '1.4.2' })))
    expect(rows).toHaveLength(5000)
    expect(rows.at(-1)).toMatchObject({ release: '1.4.2' })
    expect(Object.keys(rows.at(-1)?.attributes ?? {}).slice(0, 2)).toEqual(['key0', 'key1'])
  })
})
