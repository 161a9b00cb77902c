import type { Dialect } from '../database/dialect.ts'

/**
 * Where a notice goes: '' until it is due, then 'email' or a browser ('push:4'), so that each place has attempts of its
 * own. Browsers whose push service said that they are gone stay with the time, so that their person can see it. Clicks
 * on the buttons of Slack messages: stored before Slack gets its answer, done afterwards. `click` is what makes one
 * unique. `sealed` is what to do; it has an address that anybody could answer at.
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  return [
    `alter table notice add column place text not null default ''`,
    `alter table push_subscription add column gone_ms ${bigint}`,
    `create table slack_click (id ${autoId}, organization_id ${bigint} not null references organization (id) on delete cascade, click text not null, sealed text not null, sentence text not null default '', attempts integer not null default 0, next_ms ${bigint} not null, created_ms ${bigint} not null, done_ms ${bigint}, unique (organization_id, click))`,
    'create index slack_click_next on slack_click (next_ms) where done_ms is null',
    'create index slack_click_created on slack_click (created_ms)',
  ]
}
