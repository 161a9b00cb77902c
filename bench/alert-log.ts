import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../src/base/clock.ts'
import { alertRulesPage } from '../src/query/alerts/alert-rules.ts'
import { withProject } from '../src/store/meta/fixture.cases.ts'
import type { MetaStore } from '../src/store/meta/meta-store.ts'
import { openSqliteMeta } from '../src/store/meta/sqlite.ts'
import type { Row } from './measure.ts'

const messages = 1_000_000
const rules = 1_000
const rounds = 200
const p95MsMax = 100
const pageRows = 50

const steps = JSON.stringify([
  { atMs: 1, step: 'evaluated', text: 'Checkout errors: critical. 0.31 at a threshold of 0.25.' },
  { atMs: 2, step: 'sent', text: '' },
  { atMs: 3, step: 'answered', text: '200 ok' },
])

/** Writes a month of messages of 50 channels. One in a thousand failed, one in a hundred is about an incident. */
async function fill(meta: MetaStore, file: string): Promise<void> {
  const nowMs = systemClock.now()
  for (let channel = 0; channel < 50; channel++)
    await meta.alerts.createChannel({
      organizationId: 1,
      projectId: null,
      kind: 'webhook',
      name: `Channel ${channel}`,
      sealedTarget: 'x',
      sealedSecret: '',
    })
  const database = new DatabaseSync(file)
  database.exec(`insert into delivery (organization_id, channel_id, firing_ids, recipient, kind, change, level, items, issue_ids, more, status, attempts, next_ms, error, created_ms, sent_ms, steps)
    with recursive n (at) as (select 1 union all select at + 1 from n where at < ${messages})
    select 1, 1 + at % 50, '[]', '', 'issue', 'start', '', '[{"issueId":1,"kind":"new","eventId":"e"}]', '[1]', 0,
      case when at % 1000 = 0 then 'failed' else 'sent' end, 1, 0, '', ${nowMs} - (${messages} - at) * 2000, ${nowMs}, '${steps}' from n`)
  database.close()
  for (let rule = 0; rule < rules; rule++)
    await meta.alertRules.createAlertRule({
      organizationId: 1,
      userId: 'ann',
      max: rules,
      name: `Rule ${rule}`,
      active: true,
      mutedUntilMs: null,
      definition: {
        projectIds: [1],
        environment: null,
        ownerId: null,
        issue: {
          when: [{ type: 'events', count: 100, windowMinutes: 60 }],
          match: 'any',
          filter: 'level:error',
          unless: { noise: true, skew: false, quietHours: null },
        },
        metric: null,
        actions: [{ type: 'channel', channel: '1' }],
        intervalMinutes: 30,
        resolveMessage: true,
        escalation: [],
        unevaluable: [],
        original: null,
      },
    })
}

async function p95Of(read: (round: number) => Promise<unknown>): Promise<number> {
  const took: number[] = []
  for (let round = 0; round < rounds; round++) {
    const startMs = performance.now()
    await read(round)
    took.push(performance.now() - startMs)
  }
  return took.sort((a, b) => a - b)[Math.floor(rounds * 0.95)] ?? 0
}

/** Measures the log of a million messages and the list of a thousand rules. */
export async function benchAlertLog(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-alert-log-'))
  const file = join(folder, 'meta.sqlite')
  const meta = await withProject(await openSqliteMeta(file, { clock: systemClock }))
  try {
    await fill(meta, file)
    const log = (filter: object) => meta.alerts.listDeliveries({ organizationId: 1, ...filter }, pageRows)
    const reads: [string, (round: number) => Promise<unknown>][] = [
      ['the newest page of the log', () => log({})],
      ['any page of the log', (round) => log({ beforeId: 1 + ((round * 7919) % messages) })],
      ['the log of a channel', (round) => log({ channelId: 1 + (round % 50) })],
      ['the failed messages', () => log({ status: 'failed' })],
      [
        'what a decision reads: two hours of all channels',
        () =>
          meta.alerts.deliveriesSince(
            Array.from({ length: 50 }, (_, at) => at + 1),
            systemClock.now() - 7_200_000,
          ),
      ],
      [
        `a page of the list of ${rules} rules`,
        () => alertRulesPage({ meta }, 1, { projectIds: [] }, { cursor: undefined, limit: 100 }),
      ],
    ]
    const rows: Row[] = []
    for (const [what, read] of reads) {
      const p95 = await p95Of(read)
      rows.push({
        what: `${what}, ${messages} messages, p95 of ${rounds}`,
        goal: `at most ${p95MsMax} ms`,
        result: `${p95.toFixed(1)} ms`,
        met: p95 <= p95MsMax,
      })
    }
    return rows
  } finally {
    await meta.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
