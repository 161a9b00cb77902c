import { z } from 'zod'
import { doctorSteps } from '../domain/doctor.ts'
import { type DoctorCode, doctorFindings } from '../domain/doctor-findings.ts'
import { textOrNull, time } from './scalars.ts'

/** Shapes of the source map doctor: why frames are mapped or not, and the remedies. */

const codes = Object.keys(doctorFindings) as [DoctorCode, ...DoctorCode[]]
const fields = {
  code: z.enum(codes),
  step: z.enum(doctorSteps),
  weight: z.enum(['wrong', 'note']).describe('note: worth knowing, needs no fix.'),
  data: z.record(z.string(), z.string()).describe('Values of the sentences.'),
  message: z.string().describe('What is wrong.'),
  mend: z.string().describe('The fix.'),
  command: textOrNull.describe('Lines for a shell.'),
}
const finding = z.strictObject(fields).meta({ id: 'DoctorFinding' })
const counted = z.strictObject({ ...fields, count: z.int() }).meta({ id: 'DoctorFindingCounted' })
const verdict = z.enum(['ok', 'wrong', 'empty'])

const file = z
  .strictObject({
    url: z.string(),
    debugId: textOrNull,
    frames: z.int().describe('Number of its frames.'),
    line: z.int().nullable(),
    column: z.int().nullable(),
    state: z.enum(['ok', 'now', 'failed']).describe('now: it would be mapped now, but was not when the event arrived.'),
    steps: z.array(
      z.strictObject({
        step: z.enum(doctorSteps),
        state: z.enum(['ok', 'failed', 'unused', 'open']),
        found: z.string(),
      }),
    ),
    finding: finding.nullable(),
  })
  .meta({ id: 'DoctorFile' })

/** GET projects/{org}/{project}/events/{id}/source-map-debug/: why frames of an event are mapped or not. */
export const restEventDiagnosis = z
  .strictObject({
    errors: z
      .array(z.strictObject({ type: z.string(), message: z.string(), data: z.record(z.string(), z.string()) }))
      .describe('The findings as other tools read them.'),
    eventId: z.string(),
    release: textOrNull,
    dist: textOrNull,
    verdict: z.enum(['ok', 'now', 'failed', 'none']),
    frames: z.strictObject({ mapped: z.int(), unmapped: z.int(), ignored: z.int() }),
    finding: finding.nullable().describe('The first failing step of the file that matters most.'),
    files: z.array(file),
    filesOmitted: z.int(),
  })
  .meta({ id: 'EventDiagnosis' })

/** GET projects/{org}/{project}/files/artifact-bundles/{id}/source-map-debug/: whether events can use a bundle. */
export const restBundleDiagnosis = z
  .strictObject({
    bundleId: z.string().describe('Empty: files that were uploaded one by one.'),
    verdict,
    dateCreated: time,
    used: z.boolean(),
    associations: z.array(z.strictObject({ release: textOrNull, dist: textOrNull })),
    scripts: z.int(),
    read: z.int().describe('Number of scripts whose map was read.'),
    findings: z.array(counted),
    files: z.array(
      z.strictObject({
        url: z.string(),
        debugId: textOrNull,
        map: textOrNull,
        sources: z.int().nullable(),
        sourcesMissing: z.int().nullable(),
        finding: finding.nullable(),
      }),
    ),
  })
  .meta({ id: 'BundleDiagnosis' })

/** GET projects/{org}/{project}/releases/{version}/source-map-debug/: the uploads and events of a release. */
export const restReleaseDiagnosis = z
  .strictObject({
    release: z.string(),
    dist: textOrNull,
    verdict,
    bundles: z.array(restBundleDiagnosis),
    events: z
      .strictObject({ looked: z.int(), frames: z.int(), mapped: z.int() })
      .nullable()
      .describe('null: the caller may not read events.'),
    findings: z.array(counted),
  })
  .meta({ id: 'ReleaseDiagnosis' })
