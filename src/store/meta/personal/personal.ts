import {
  defaultSettings,
  nextSummaryMs,
  type PersonalSettings,
  paceOf,
  type SummaryKind,
  summaryKinds,
} from '../../../domain/alerts/personal.ts'
import { staleError } from '../database/revision.ts'
import { fromJson, type Store } from '../database/store.ts'

/** A mail that collects: a digest or the weekly report. */
export type PersonalMail = {
  organizationId: number
  userId: string
  kind: SummaryKind
  /** The time that it is for. Part of its id: a repeat has the same. */
  nextMs: number
  /** How far the last mail went. This one continues there. */
  coveredMs: number
  attempts: number
}

export type PersonalStore = {
  /** What the person wants to hear, or the defaults with revision 0. */
  personalSettingsOf(organizationId: number, userId: string): Promise<{ settings: PersonalSettings; rev: number }>
  /** The settings of everybody in an organization who has changed them, by person. */
  personalSettingsIn(organizationId: number): Promise<Map<string, PersonalSettings>>
  /** Stores the settings and the times of the mails that collect. Throws CONFLICT when `rev` is outdated. */
  setPersonalSettings(
    organizationId: number,
    userId: string,
    settings: PersonalSettings,
    rev?: number | undefined,
  ): Promise<number>
  /** Mails that collect and are due by `nowMs`, the oldest first. */
  personalMailsDue(nowMs: number, max: number): Promise<PersonalMail[]>
  /** Ends a mail: sent or given up (the next one is due at `nextMs`), or to be tried again at `retryMs`. */
  endPersonalMail(mail: PersonalMail, end: { nextMs: number; coveredMs: number } | { retryMs: number }): Promise<void>
  /** Removes a mail of a person who has left. */
  dropPersonalMail(mail: PersonalMail): Promise<void>
}

function toSettings(content: string): PersonalSettings {
  const stored = fromJson<PersonalSettings>(content)
  // A kind that a later version adds has no entry in older rows.
  return { ...defaultSettings, ...stored, kinds: { ...defaultSettings.kinds, ...stored.kinds } }
}

/** Starts, moves or ends one mail. A mail that goes on continues where the last one ended. */
async function schedule(
  { write, clock, dialect: { builder } }: Store,
  { organizationId, userId }: Pick<PersonalMail, 'organizationId' | 'userId'>,
  settings: PersonalSettings,
  kind: SummaryKind,
): Promise<void> {
  const nowMs = clock.now()
  const pace = paceOf(settings, kind)
  if (!pace) {
    await write.run(
      builder
        .deleteFrom('personal_mail')
        .where('organization_id', '=', organizationId)
        .where('user_id', '=', userId)
        .where('kind', '=', kind),
    )
    return
  }
  const nextMs = nextSummaryMs(pace, settings.timeZone, nowMs)
  await write.run(
    builder
      .insertInto('personal_mail')
      .values({
        organization_id: organizationId,
        user_id: userId,
        kind,
        next_ms: nextMs,
        retry_ms: nextMs,
        covered_ms: nowMs,
        attempts: 0,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'user_id', 'kind'])
          .doUpdateSet({ next_ms: nextMs, retry_ms: nextMs, attempts: 0 }),
      ),
  )
}

/**
 * Removes what a person who leaves wanted to hear of an organization, and their browsers if it was their last organization. The
 * caller opens the transaction, and has removed the membership.
 */
export async function dropPersonal({ write, dialect: { builder } }: Store, organizationId: number, userId: string) {
  for (const table of ['personal_settings', 'personal_mail'] as const)
    await write.run(
      builder.deleteFrom(table).where('organization_id', '=', organizationId).where('user_id', '=', userId),
    )
  const other = await write.get(builder.selectFrom('member').select('role').where('user_id', '=', userId))
  if (!other) await write.run(builder.deleteFrom('push_subscription').where('user_id', '=', userId))
}

type SettingsPart = Pick<PersonalStore, 'personalSettingsOf' | 'personalSettingsIn' | 'setPersonalSettings'>

/** Implements what people want to hear. */
export function personalSettingsPart(store: Store): SettingsPart {
  const { write, read, clock } = store
  const { builder } = store.dialect
  const settingsRow = (organizationId: number, userId: string) =>
    builder
      .selectFrom('personal_settings')
      .select(['content', 'rev', 'changed_ms'])
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId)
  return {
    personalSettingsOf: async (organizationId, userId) => {
      const row = await read.get(settingsRow(organizationId, userId))
      if (!row) return { settings: defaultSettings, rev: 0 }
      return { settings: toSettings(row.content), rev: row.rev }
    },
    personalSettingsIn: async (organizationId) => {
      const rows = builder
        .selectFrom('personal_settings')
        .select(['user_id', 'content'])
        .where('organization_id', '=', organizationId)
      return new Map((await read.all(rows)).map((row) => [row.user_id, toSettings(row.content)]))
    },
    setPersonalSettings: (organizationId, userId, settings, rev) =>
      write.transaction(async () => {
        const found = await write.get(settingsRow(organizationId, userId))
        const before = found?.rev ?? 0
        if (rev !== undefined && rev !== before)
          throw await staleError(store, { rev: before, userId, atMs: found?.changed_ms ?? null })
        const row = {
          organization_id: organizationId,
          user_id: userId,
          content: JSON.stringify(settings),
          rev: before + 1,
          changed_ms: clock.now(),
        }
        const { content, rev: newRev, changed_ms } = row
        await write.run(
          builder
            .insertInto('personal_settings')
            .values(row)
            .onConflict((conflict) =>
              conflict.columns(['organization_id', 'user_id']).doUpdateSet({ content, rev: newRev, changed_ms }),
            ),
        )
        for (const kind of summaryKinds) await schedule(store, { organizationId, userId }, settings, kind)
        return newRev
      }),
  }
}

/** Implements the times of mails that collect. */
export function personalMailPart({ write, dialect: { builder } }: Store): Omit<PersonalStore, keyof SettingsPart> {
  const change = (
    mail: PersonalMail,
    set: Partial<Record<'next_ms' | 'covered_ms' | 'attempts' | 'retry_ms', number>>,
  ) =>
    write.run(
      builder
        .updateTable('personal_mail')
        .set(set)
        .where('organization_id', '=', mail.organizationId)
        .where('user_id', '=', mail.userId)
        .where('kind', '=', mail.kind)
        // The person may have changed the time meanwhile.
        .where('next_ms', '=', mail.nextMs),
    )
  return {
    personalMailsDue: async (nowMs, max) =>
      (
        await write.all(
          builder
            .selectFrom('personal_mail')
            .selectAll()
            .where('retry_ms', '<=', nowMs)
            .orderBy('retry_ms')
            .orderBy('organization_id')
            .orderBy('user_id')
            .limit(max),
        )
      ).map((row) => ({
        organizationId: row.organization_id,
        userId: row.user_id,
        kind: row.kind as SummaryKind,
        nextMs: row.next_ms,
        coveredMs: row.covered_ms,
        attempts: row.attempts,
      })),
    endPersonalMail: async (mail, end) => {
      if ('retryMs' in end) await change(mail, { attempts: mail.attempts + 1, retry_ms: end.retryMs })
      else await change(mail, { next_ms: end.nextMs, retry_ms: end.nextMs, covered_ms: end.coveredMs, attempts: 0 })
    },
    dropPersonalMail: async ({ organizationId, userId, kind }) => {
      await write.run(
        builder
          .deleteFrom('personal_mail')
          .where('organization_id', '=', organizationId)
          .where('user_id', '=', userId)
          .where('kind', '=', kind),
      )
    },
  }
}
