import { isTimeZone, zonedMs } from './on-call.ts'

/** Why a person hears of something. `release`: a commit of theirs is suspected. `alert`: a rule names them. */
export const personalKinds = ['assigned', 'mention', 'followed', 'release', 'alert', 'on_call'] as const
export type PersonalKind = (typeof personalKinds)[number]

/** Mails that collect what happened, at their own times. */
export const summaryKinds = ['digest', 'report'] as const
export type SummaryKind = (typeof summaryKinds)[number]

/** Where a person can be reached: by mail, and in their browsers that get push messages. */
export const places = ['email', 'push'] as const
export type Place = (typeof places)[number]

export const digestPaces = ['off', 'daily', 'weekly'] as const
type DigestPace = (typeof digestPaces)[number]

/** What differs in one project. `mine`: only what names the person. `none`: nothing but on-call messages. */
export const projectModes = ['mine', 'none'] as const
type ProjectMode = (typeof projectModes)[number]

/** Kinds that a project can send elsewhere. On-call messages follow the general settings, so that no project hides them. */
export const projectKinds = personalKinds.filter((kind) => kind !== 'on_call')
/** What a person hears of one project: less than elsewhere, or each kind at its own places. An absent kind follows `kinds`. */
export type ProjectChoice = ProjectMode | { kinds: { [Kind in PersonalKind]?: Place[] | undefined } }

/** What a person wants to hear of one organization, and where. */
export type PersonalSettings = {
  kinds: Record<PersonalKind, Place[]>
  digest: DigestPace
  /** The weekly report of what was sent. */
  report: boolean
  /** By project id. A project that is absent follows `kinds`. */
  projects: Record<string, ProjectChoice>
  /** `HH:MM` on the clock of `timeZone`. `to` before `from`: on the next day. */
  quietHours: { from: string; to: string } | null
  /** An IANA name. */
  timeZone: string
}

/** Everybody hears what names them, by mail. Push messages and mails that collect are asked for. */
export const defaultSettings: PersonalSettings = {
  kinds: {
    assigned: ['email'],
    mention: ['email'],
    followed: ['email'],
    release: ['email'],
    alert: ['email'],
    on_call: ['email'],
  },
  digest: 'off',
  report: false,
  projects: {},
  quietHours: null,
  timeZone: 'UTC',
}

const naming: readonly PersonalKind[] = ['assigned', 'mention', 'on_call']
const clockTime = /^([01]\d|2[0-3]):[0-5]\d$/

/** Returns whether a text is a time of day such as 22:00. */
export const isClockTime = (text: string): boolean => clockTime.test(text)

/** Returns the date (`YYYY-MM-DD`) and time (`HH:MM`) that a clock of the zone shows. */
function localOf(ms: number, timeZone: string): { date: string; time: string } {
  // The Swedish format is ISO 8601.
  const text = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(ms)
  const [date = '', time = ''] = text.split(' ')
  return { date, time }
}

const dayMs = 86_400_000
const daysAfter = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10)

/** Returns when the quiet hours end that hold at `nowMs`; `nowMs` itself outside of them. */
export function quietUntil({ quietHours, timeZone }: Pick<PersonalSettings, 'quietHours' | 'timeZone'>, nowMs: number) {
  if (!quietHours || quietHours.from === quietHours.to || !isTimeZone(timeZone)) return nowMs
  const { from, to } = quietHours
  const { date, time } = localOf(nowMs, timeZone)
  const isQuiet = from < to ? from <= time && time < to : from <= time || time < to
  if (!isQuiet) return nowMs
  // A clock that goes back can show the end a second time, when it has passed already.
  return Math.max(nowMs, zonedMs(time < to ? date : daysAfter(date, 1), to, timeZone))
}

/** Returns where a message reaches a person (empty: not at all), and from when. On-call duty ignores the project. */
export function reachOf(
  settings: PersonalSettings,
  message: { kind: PersonalKind; projectId: number | null; isCritical: boolean },
  nowMs: number,
): { places: readonly Place[]; notBeforeMs: number } {
  const { kind, projectId, isCritical } = message
  const choice = projectId === null || kind === 'on_call' ? undefined : settings.projects[projectId]
  const isSilenced = choice === 'none' || (choice === 'mine' && !naming.includes(kind))
  const own = typeof choice === 'object' ? choice.kinds[kind] : undefined
  const wakes = kind === 'on_call' && isCritical
  return {
    places: isSilenced ? [] : (own ?? settings.kinds[kind]),
    notBeforeMs: wakes ? nowMs : quietUntil(settings, nowMs),
  }
}

/** The local time of mails that collect: before the working day. Weekly ones come on Monday. */
const summaryTime = '08:00'

/** Returns the next time after `nowMs` of a mail that collects. */
export function nextSummaryMs(pace: 'daily' | 'weekly', timeZone: string, nowMs: number): number {
  const zone = isTimeZone(timeZone) ? timeZone : 'UTC'
  const { date } = localOf(nowMs, zone)
  for (let days = 0; days <= 8; days++) {
    const day = daysAfter(date, days)
    if (pace === 'weekly' && new Date(day).getUTCDay() !== 1) continue
    const atMs = zonedMs(day, summaryTime, zone)
    if (atMs > nowMs) return atMs
  }
  return nowMs + 7 * dayMs
}

/** Returns the pace of a mail that collects; undefined: the person does not want it. */
export function paceOf(settings: PersonalSettings, kind: SummaryKind): 'daily' | 'weekly' | undefined {
  if (kind === 'report') return settings.report ? 'weekly' : undefined
  return settings.digest === 'off' ? undefined : settings.digest
}

const withoutPlace = <Kinds extends { [Kind in PersonalKind]?: Place[] | undefined }>(
  kinds: Kinds,
  kind: PersonalKind,
): Kinds => ({ ...kinds, [kind]: (kinds[kind] ?? []).filter((place) => place !== 'email') })

/** Returns the settings without one kind of mail, in every project. Push messages stay: the link was in a mail. */
export function withoutMail(settings: PersonalSettings, kind: PersonalKind | SummaryKind): PersonalSettings {
  if (kind === 'digest') return { ...settings, digest: 'off' }
  if (kind === 'report') return { ...settings, report: false }
  const projects = Object.entries(settings.projects).map(([id, choice]): [string, ProjectChoice] => [
    id,
    typeof choice === 'object' && choice.kinds[kind] ? { kinds: withoutPlace(choice.kinds, kind) } : choice,
  ])
  return { ...settings, kinds: withoutPlace(settings.kinds, kind), projects: Object.fromEntries(projects) }
}
