import { z } from 'zod'
import { alertReasonCodes } from '../../domain/alerts/alert-reasons.ts'
import { restPerson } from '../people.ts'
import { digits, line, moment, revisionField, time } from '../scalars.ts'

const level = z.enum(['warning', 'critical'])
const person = restPerson.nullable()

const restIncidentMember = z.strictObject({
  rule: z.strictObject({ id: digits, name: z.string() }).nullable().describe('Null: the rule was deleted.'),
  issue: z.strictObject({ id: digits, shortId: z.string(), title: z.string() }).nullable(),
  group: z.string().nullable().describe('The group of a metric rule by groups.'),
  level,
  dateOpened: time,
  dateEnded: time.nullable(),
  value: z.number().nullable(),
  threshold: z.number().nullable(),
  sentence: z.string(),
})

const incident = {
  id: digits,
  title: z.string(),
  status: z.enum(['warning', 'critical', 'acknowledged', 'resolved']),
  level: level.describe('The worst level of its open members; of an ended incident, the last one.'),
  peak: level,
  projects: z.array(z.string()).describe('Slugs.'),
  release: z.string(),
  dateStarted: time,
  dateChanged: time,
  dateEnded: time.nullable(),
  acknowledgedBy: person.describe('Null: nobody, or whoever followed a signed link.'),
  dateAcknowledged: time.nullable(),
  snoozedUntil: time.nullable(),
}

/** organizations/{org}/incidents/ */
export const restIncident = z.strictObject(incident).meta({ id: 'Incident' })
export type RestIncident = z.infer<typeof restIncident>

/** organizations/{org}/incidents/{id}/: with its members, its history and its messages. */
export const restIncidentDetails = z
  .strictObject({
    ...incident,
    members: z.array(restIncidentMember).describe('The first 100, open ones first.'),
    membersOpen: z.int(),
    membersTotal: z.int(),
    activity: z
      .array(
        z.strictObject({
          id: digits,
          type: z.enum([
            'started',
            'joined',
            'level',
            'left',
            'ended',
            'reopened',
            'acknowledged',
            'snoozed',
            'resolved',
            'escalated',
            'suppressed',
            'tracker_created',
            'tracker_failed',
            'tracker_held',
          ]),
          date: time,
          person,
          data: z
            .record(z.string(), z.union([z.string(), z.number(), z.null()]))
            .describe('`reason` is an English sentence. `why` names it, and the other fields are its facts.'),
        }),
      )
      .describe('The last 200, newest first.'),
    messages: z
      .array(
        z.strictObject({
          id: digits,
          receiver: z.string().describe('Name of the channel or person.'),
          change: z.enum(['start', 'change', 'end']),
          status: z.enum(['queued', 'sent', 'failed', 'suppressed']),
          error: z.string(),
          errorCode: z
            .enum(alertReasonCodes)
            .nullable()
            .describe('The code of the sentence, if it is one of Mishap. Null for the words of a service.'),
          dateCreated: time,
        }),
      )
      .describe('The last 100, newest first.'),
  })
  .meta({ id: 'IncidentDetails' })
export type RestIncidentDetails = z.infer<typeof restIncidentDetails>

/** Body to change an incident. */
export const incidentChangeBody = z.object({
  status: z.enum(['acknowledged', 'resolved']).optional(),
  snoozedUntil: moment.nullable().optional().describe('No messages until then, at most 30 days. Null ends it.'),
})

/** organizations/{org}/mutes/ */
export const restMute = z
  .strictObject({
    id: digits,
    kind: z.enum(['rule', 'issue', 'project', 'organization']),
    target: digits.nullable().describe('Id of the rule, issue or project.'),
    targetName: z.string(),
    name: z.string().describe('Why.'),
    start: time,
    end: time.nullable().describe('Null: until somebody ends it.'),
    isActive: z.boolean(),
    createdBy: person,
    dateCreated: time,
  })
  .meta({ id: 'Mute' })
export type RestMute = z.infer<typeof restMute>

/** Body of a mute or maintenance window. */
export const newMuteBody = z.object({
  kind: z.enum(['rule', 'issue', 'project', 'organization']),
  target: digits.max(15).nullable().default(null),
  name: line(64, 'Why.'),
  start: moment.optional().describe('Default: now.'),
  end: moment.nullable().default(null),
})
export type NewMuteBody = z.output<typeof newMuteBody>

const restOverride = z.strictObject({ id: digits, person, start: time, end: time })

/** organizations/{org}/on-call-schedules/ */
export const restOnCallSchedule = z
  .strictObject({
    id: digits,
    name: z.string(),
    timeZone: z.string(),
    handOverDay: z.int().describe('1: Monday, 7: Sunday.'),
    handOverTime: z.string().describe('HH:MM on the clock of the zone.'),
    startDate: z.string().describe('The first member has the week in which this day is.'),
    members: z.array(restPerson).describe('In the order of their weeks.'),
    holes: z.int().describe('Turns whose person has left. Nobody is on call in them, until the members are set again.'),
    onCall: z.strictObject({ person, until: time, isOverride: z.boolean() }).nullable(),
    shifts: z
      .array(z.strictObject({ person, start: time, end: time, isOverride: z.boolean() }))
      .describe('The next four weeks.'),
    overrides: z.array(restOverride).describe('That have not ended.'),
    dateCreated: time,
    revision: z.int(),
  })
  .meta({ id: 'OnCallSchedule' })
export type RestOnCallSchedule = z.infer<typeof restOnCallSchedule>

const rota = {
  name: line(64, 'A name.'),
  timeZone: z.string().max(64).describe('An IANA name such as Europe/Berlin.'),
  handOverDay: z.int().min(1).max(7),
  handOverTime: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'A time such as 09:00.'),
  startDate: z.iso.date(),
  members: z.array(z.string().min(1).max(64)).max(50).describe('Ids of members.'),
}

/** Body of a new schedule. */
export const newOnCallScheduleBody = z.object({
  ...rota,
  handOverDay: rota.handOverDay.default(1),
  handOverTime: rota.handOverTime.default('09:00'),
  startDate: rota.startDate.optional().describe('Default: today.'),
})
export type NewOnCallScheduleBody = z.output<typeof newOnCallScheduleBody>

/** Body to change a schedule. Absent fields stay. */
export const onCallScheduleChangeBody = z.object({ ...z.object(rota).partial().shape, revision: revisionField })
export type OnCallScheduleChangeBody = z.output<typeof onCallScheduleChangeBody>

/** Body of an override: somebody takes over for a time. */
export const newOnCallOverrideBody = z.object({ person: z.string().min(1).max(64), start: moment, end: moment })
export type NewOnCallOverrideBody = z.output<typeof newOnCallOverrideBody>
