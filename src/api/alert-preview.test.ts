import { beforeAll, describe, expect, test } from 'vitest'
import { hostileTexts } from '../alert/message/hostile.cases.ts'
import type { RestAlertPreview } from '../contract/alerts/alerts-preview.ts'
import { appForFile } from './app.cases.ts'
import { hex } from './seed.cases.ts'

const { made, call } = appForFile()
const hostile = '<!channel> <script>alert(1)</script> @everyone'

beforeAll(async () => {
  await made().store([
    {
      event_id: hex(8001),
      platform: 'node',
      timestamp: Math.floor(Date.now() / 1000) - 5,
      environment: 'production',
      exception: { values: [{ type: 'PaymentError', value: hostile }] },
    },
  ])
})

const path = () => `/organizations/${made().organization.slug}/alerts/preview/`

async function previewed(rule: object): Promise<RestAlertPreview> {
  const answer = await call('POST', path(), { body: { rule: { name: 'Payments', ...rule } } })
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.any(String)])
  return answer.json
}

describe('the preview of a message', () => {
  test('shows the issue that was seen last in the formats of the transports, with its text as text', async () => {
    const { issue, slack, mail, json } = await previewed({ issue: { when: [{ type: 'new' }] } })
    expect(issue).toMatch(/-\d+$/)
    expect(slack.text).toContain('PaymentError')
    expect(slack.text).not.toContain('<!channel>')
    expect(mail.subject).toContain(`New issue ${issue}`)
    expect(mail.html).not.toContain('<script>')
    expect(mail.text).toContain('Payments')
    expect(json).toMatchObject({ kind: 'issue', change: 'start', issues: [{ shortId: issue }] })
  })

  test('of a metric rule has a value beyond its threshold', async () => {
    const plan = { dataset: 'errors', series: [{ name: 'a', aggregate: 'count()' }] }
    const metric = { plan, of: 'a', windowMinutes: 10, threshold: { type: 'fixed', direction: 'above', critical: 50 } }
    const { mail, json } = await previewed({ metric })
    expect(json).toMatchObject({ kind: 'incident', level: 'critical', headline: 'Critical: Payments' })
    expect(mail.text).toContain('count() is 60 in 10 min, threshold above 50.')
    const below = { ...metric, threshold: { type: 'fixed', direction: 'below', critical: 0 } }
    expect((await previewed({ metric: below })).mail.text).toContain('count() is -1 in 10 min, threshold below 0.')
  })

  test('keeps hostile names of rules inert', async () => {
    for (const name of hostileTexts.map(({ text }) =>
      text
        .slice(0, 150)
        .toWellFormed()
        .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
        .trim(),
    )) {
      if (name === '') continue
      const { mail, slack } = await previewed({ name, metric: null, issue: { when: [{ type: 'regression' }] } })
      expect(mail.html).not.toMatch(/<(script|img)/i)
      expect(JSON.stringify(slack)).not.toMatch(/<!(here|channel|everyone)/)
    }
  })

  test('refuses a rule that could not be created', async () => {
    const answer = await call('POST', path(), { body: { rule: { name: '' } } })
    expect([answer.status, answer.text]).toEqual([400, '{"rule":["A name."]}'])
  })
})
