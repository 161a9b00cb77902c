import { z } from 'zod'
import { doctorSteps } from '../domain/doctor.ts'
import { type DoctorCode, doctorFindings } from '../domain/doctor-findings.ts'

const codes = Object.keys(doctorFindings) as [DoctorCode, ...DoctorCode[]]
const fields = {
  code: z.enum(codes),
  step: z.enum(doctorSteps),
  weight: z.enum(['wrong', 'note']).describe('note: worth knowing, nothing that has to be mended.'),
  data: z.record(z.string(), z.string()).describe('Values of the sentences.'),
  message: z.string().describe('What is wrong, in one sentence.'),
  mend: z.string().describe('What mends it.'),
  command: z.string().nullable().describe('Lines for a shell.'),
}
const finding = z.strictObject(fields).meta({ id: 'DoctorFinding' })
const counted = z.strictObject({ ...fields, count: z.int() }).meta({ id: 'DoctorFindingCounted' })
const verdict = z.enum(['ok', 'wrong', 'empty'])

const file = z
  .strictObject({
    url: z.string(),
    debugId: z.string().nullable(),
    frames: z.int().describe('How many frames lie in it.'),
    line: z.int().nullable(),
    column: z.int().nullable(),
    state: z.enum(['ok', 'now', 'failed']).describe('now: it would be mapped now, and was not when the event came.'),
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

export const eventDiagnosis = z
  .strictObject({
    errors: z
      .array(z.strictObject({ type: z.string(), message: z.string(), data: z.record(z.string(), z.string()) }))
      .describe('The findings as other tools read them.'),
    eventId: z.string(),
    release: z.string().nullable(),
    dist: z.string().nullable(),
    verdict: z.enum(['ok', 'now', 'failed', 'none']),
    frames: z.strictObject({ mapped: z.int(), unmapped: z.int(), ignored: z.int() }),
    finding: finding.nullable().describe('The first failing step of the file that matters most.'),
    files: z.array(file),
    filesOmitted: z.int(),
  })
  .meta({ id: 'EventDiagnosis' })

export const bundleDiagnosis = z
  .strictObject({
    bundleId: z.string().describe('Empty: files that were uploaded one by one.'),
    verdict,
    dateCreated: z.iso.datetime(),
    used: z.boolean(),
    associations: z.array(z.strictObject({ release: z.string().nullable(), dist: z.string().nullable() })),
    scripts: z.int(),
    read: z.int().describe('Of how many the map was read.'),
    findings: z.array(counted),
    files: z.array(
      z.strictObject({
        url: z.string(),
        debugId: z.string().nullable(),
        map: z.string().nullable(),
        sources: z.int().nullable(),
        sourcesMissing: z.int().nullable(),
        finding: finding.nullable(),
      }),
    ),
  })
  .meta({ id: 'BundleDiagnosis' })

export const releaseDiagnosis = z
  .strictObject({
    release: z.string(),
    dist: z.string().nullable(),
    verdict,
    bundles: z.array(bundleDiagnosis),
    events: z
      .strictObject({ looked: z.int(), frames: z.int(), mapped: z.int() })
      .nullable()
      .describe('null: the caller may not read events.'),
    findings: z.array(counted),
  })
  .meta({ id: 'ReleaseDiagnosis' })
