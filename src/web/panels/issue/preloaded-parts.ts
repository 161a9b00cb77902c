import type { Actor } from '../../../auth/auth.ts'
import type { RestEvent } from '../../../contract/events.ts'
import type { RestFeedback } from '../../../contract/feedback.ts'
import type { RestInCommon, RestTag } from '../../../contract/issues.ts'
import type { RestTraceMeta } from '../../../contract/traces.ts'
import type { EventDiagnosis } from '../../../domain/doctor.ts'
import { normalOf } from '../../../query/event.ts'
import { toRestFeedback } from '../../../query/feedback.ts'
import { inCommonOf } from '../../../query/in-common.ts'
import { traceMeta } from '../../../query/trace.ts'
import type { Scope, SeenEvent } from '../../../store/events/events.ts'
import { normalizeId } from '../../../wire/ids.ts'
import { app } from '../../handle.ts'
import { wantsDoctor } from '../source-maps/doctor-questions.ts'
import type { IssueHere } from './load.ts'

/** ms that the document waits for a part at least; it never waits longer than for the issue itself and this. */
const waitMs = 300
const reportsMax = 100

/**
 * What parts of the issue page show, as the REST calls would answer. They come with the document, as parts that come later
 * move what stands below them. undefined: not asked for or not there in time; the browser asks then.
 */
export type GivenParts = {
  /** Range and environments of `tags` and `inCommon`: the query of their calls as JSON. */
  query: string
  tags: RestTag[] | undefined
  inCommon: RestInCommon | undefined
  reports: RestFeedback[] | undefined
  trace: RestTraceMeta | undefined
  diagnosis: EventDiagnosis | undefined
}

/** The page without any of its parts. */
export const noParts: GivenParts = {
  query: '',
  tags: undefined,
  inCommon: undefined,
  reports: undefined,
  trace: undefined,
  diagnosis: undefined,
}

/** Why the event's frames are not mapped, where there is something to say and the person may read it. */
async function diagnosisOf(actor: Actor, here: IssueHere, row: SeenEvent, event: RestEvent) {
  const { auth, doctor, meta } = app()
  const { organization, project } = here
  if (!wantsDoctor(event) || auth.may(actor, 'event:read', here) !== 'yes') return undefined
  const others = meta
    .projectsOf(organization.id)
    .filter(
      (item) => item.id !== project.id && auth.may(actor, 'release:read', { organization, project: item }) === 'yes',
    )
  return doctor.ofEvent({ organization, project, others }, normalOf(row), row.receivedMs)
}

export type PartsAsked = {
  scope: Scope
  /** Projects that the person may read. */
  readable: readonly number[]
  row: Promise<SeenEvent | undefined>
  event: Promise<RestEvent | undefined>
  /** Everything that the page can't be without. */
  page: Promise<unknown>
}

/** Asks for the parts beside the page, and waits for none that is slow. What is refused or fails is as if it were late. */
export async function givenParts(
  actor: Actor,
  here: IssueHere,
  { scope, readable, row, event, page }: PartsAsked,
): Promise<Omit<GivenParts, 'query' | 'tags'>> {
  const deps = app()
  const { issue } = here
  const done = new AbortController()
  const lateness = Promise.allSettled([page, deps.clock.sleep(waitMs, done.signal)]).then(() => undefined)
  const inTime = <Answer>(asked: Promise<Answer>) => Promise.race([asked.catch(() => undefined), lateness])
  const traceOf = async () => {
    const found = await row
    const traceId = normalizeId(found?.traceId)
    const near = { keptDays: deps.config.retentionSpansDays, atS: found && found.timestampUs / 1e6 }
    return traceId && (await traceMeta(deps, readable, traceId, near))
  }
  const doctorOf = async () => {
    const [stored, shown] = await Promise.all([row, event])
    return stored && shown && diagnosisOf(actor, here, stored, shown)
  }
  try {
    const reports = toRestFeedback(deps, deps.meta.feedbackOfIssue(issue.id, reportsMax))
    const [inCommon, trace, diagnosis] = await Promise.all([
      inTime(inCommonOf(deps, issue, scope)),
      inTime(traceOf()),
      inTime(doctorOf()),
    ])
    return { reports, inCommon, trace: trace || undefined, diagnosis }
  } finally {
    done.abort()
  }
}
