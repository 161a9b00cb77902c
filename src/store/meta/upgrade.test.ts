import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { openSqlite } from './database/connection.ts'
import { sqliteDialect } from './database/dialect.ts'
import { migrate } from './database/migrate.ts'
import { withProject } from './fixture.cases.ts'
import { openSqliteMeta } from './sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-upgrade-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the upgrade to hashed tokens ends all sessions, and mail channels that are there go on', async () => {
  const file = join(folder, 'meta.sqlite')
  const clock = testClock()
  const before = await withProject(await openSqliteMeta(file, { clock }))
  const value = { organizationId: 1, projectId: null, name: 'Ops', sealedTarget: 't', sealedSecret: '' }
  const mail = await before.alerts.createChannel({ ...value, kind: 'email' })
  const chat = await before.alerts.createChannel({ ...value, kind: 'slack' })
  await before.close()
  const database = new DatabaseSync(file)
  database.exec(`
    drop table deleted_alert_rule;
    drop table slack_click;
    alter table notice drop column place;
    drop table channel_address;
    drop table push_subscription;
    alter table channel drop column subscription;
    alter table channel drop column sealed_config;
    alter table channel drop column last_answer;
    alter table channel drop column paused_until_ms;
    drop table password_reset;
    alter table project drop column switches;
    alter table project drop column routes;
    alter table project drop column detectors;
    alter table project drop column metric_series;
    drop index repository_integration;
    drop index code_commit_pushed;
    alter table repository drop column integration_id;
    alter table code_commit drop column pushed_ms;
    drop table code_mapping;
    drop table tracker_outcome;
    drop table tracker_delivery;
    drop table external_issue;
    drop table integration;
    drop table personal_mail;
    drop table personal_settings;
    drop table on_call_override;
    drop table on_call_schedule;
    drop table mute;
    drop table incident_activity;
    drop table incident_member;
    drop table delivery;
    drop table incident;
    create table delivery (id integer primary key autoincrement, channel_id integer not null references channel (id) on delete cascade, recipient text not null, kind text not null, items text not null, more integer not null, status text not null, attempts integer not null, next_ms integer not null, error text not null, created_ms integer not null, sent_ms integer);
    insert into delivery (id, channel_id, recipient, kind, items, more, status, attempts, next_ms, error, created_ms, sent_ms) values (7, 2, '', 'issue', '[{"issueId":1,"kind":"new","eventId":"e"}]', 0, 'sent', 1, 5, '', 5, 6), (9, 2, '', 'issue', '[]', 0, 'sent', 1, 5, '', 5, 6);
    delete from delivery where id = 9;
    drop table issue_trigger;
    drop table alert_firing;
    drop table alert_rule_state;
    drop table alert_rule;
    drop table workflow;
    drop table dashboard_revision;
    drop table dashboard_favourite;
    drop table dashboard;
    drop table search_default;
    alter table saved_search drop column facets;
    alter table saved_search drop column columns;
    alter table saved_search drop column scope;
    drop table saved_query;
    drop table export;
    drop table trace_step;
    alter table thin_run drop column spans;
    alter table batch drop column lane;
    delete from cursor where id = 2;
    delete from version where number >= 27;
    insert into auth_user ("id", "name", "email", "emailVerified", "createdAt", "updatedAt") values ('u', 'Ann', 'ann@x.test', 0, '2026-01-01', '2026-01-01');
    insert into auth_session ("id", "expiresAt", "token", "createdAt", "updatedAt", "userId") values ('s', '2099-01-01', 'plain', '2026-01-01', '2026-01-01', 'u');
  `)
  const after = await openSqliteMeta(file, { clock })
  expect(database.prepare('select count(*) as sessions from auth_session').get()).toEqual({ sessions: 0 })
  expect(await after.alerts.addressesOf(mail.id)).toEqual([
    { channelId: mail.id, address: '*', askedMs: null, confirmedMs: mail.createdMs, error: '' },
  ])
  expect(await after.alerts.addressesOf(chat.id)).toEqual([])
  // Deliveries keep their ids, by which receivers recognize a message, and no id is used twice.
  expect(await after.alerts.deliveryById(7)).toMatchObject({
    organizationId: 1,
    channelId: chat.id,
    items: [{ issueId: 1 }],
    status: 'sent',
    change: 'start',
  })
  expect(await after.alerts.queueTest(chat.id, [''], clock.now())).toMatchObject([{ id: 10 }])
  database.close()
  await after.close()
})

test('the upgrade to lanes begins both where the only cursor was, and open batches are of lane events', async () => {
  const file = join(folder, 'lanes.sqlite')
  const write = openSqlite(file)
  // The last version without lanes.
  await migrate(write, sqliteDialect(), 0, 33)
  await write.script('update cursor set jpos = 700; insert into batch (from_jpos, to_jpos) values (700, 900)')
  await write.close()
  const after = await openSqliteMeta(file, { clock: testClock() })
  expect([await after.batches.cursor('events'), await after.batches.cursor('bulk')]).toEqual([700, 700])
  expect(await after.batches.openBatches()).toEqual([{ seq: 1, from: 700, to: 900, lane: 'events' }])
  await after.close()
})
