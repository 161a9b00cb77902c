import type { DoctorCode } from './doctor-findings.ts'

/** Steps from a frame to its source, in order. */
export const doctorSteps = ['address', 'debug_id', 'bundle', 'file', 'map', 'column', 'source'] as const
export type DoctorStepName = (typeof doctorSteps)[number]

/** `unused`: not needed for this file. `open`: not reached because an earlier step failed. */
export type DoctorStep = {
  step: DoctorStepName
  state: 'ok' | 'failed' | 'unused' | 'open'
  /** The address, id or name found; '' for none. */
  found: string
}

/** `wrong`: frames stay minified until this is fixed. `note`: only information, no fix is needed. */
export type DoctorWeight = 'wrong' | 'note'

/** A finding. `message` and `mend` are English. Screens translate `code` with `data`. */
export type DoctorFinding = {
  code: DoctorCode
  step: DoctorStepName
  weight: DoctorWeight
  /** Values for the sentences, at most 300 characters each. Times are ISO 8601. */
  data: Record<string, string>
  message: string
  mend: string
  /** Quoted shell lines; null if no command helps. */
  command: string | null
}

/** A file with frames of an event. */
export type DoctorFile = {
  url: string
  debugId: string | null
  /** Number of frames, and position of the checked frame; both from 1, null if it was not sent. */
  frames: number
  line: number | null
  column: number | null
  /** `now`: mappable now, but it was not when the event arrived. */
  state: 'ok' | 'now' | 'failed'
  steps: DoctorStep[]
  finding: DoctorFinding | null
}

/** Diagnosis of an event. `none`: it has no frame that can be mapped. */
export type EventDiagnosis = {
  eventId: string
  release: string | null
  dist: string | null
  verdict: 'ok' | 'now' | 'failed' | 'none'
  /** As stored. `ignored`: frames of a runtime or extension, without a file, or native. */
  frames: { mapped: number; unmapped: number; ignored: number }
  /** The first failing step of the most important file. */
  finding: DoctorFinding | null
  files: DoctorFile[]
  /** Number of files beyond the first 30. */
  filesOmitted: number
}

/** A script of a bundle. `map`: the name of its source map in the bundle. */
export type DoctorScript = {
  url: string
  debugId: string | null
  map: string | null
  /** Sources named by the map, and how many have no text; null: the map was not read. */
  sources: number | null
  sourcesMissing: number | null
  finding: DoctorFinding | null
}

/** Diagnosis of a bundle. At most 40 maps per bundle are read. */
export type BundleDiagnosis = {
  bundleId: string
  verdict: DoctorVerdict
  dateCreated: string
  /** Whether an event has used it. */
  used: boolean
  associations: { release: string | null; dist: string | null }[]
  scripts: number
  /** Scripts whose map was read. */
  read: number
  /** Findings without duplicates, the worst and most frequent first. */
  findings: (DoctorFinding & { count: number })[]
  /** The first 200 scripts. */
  files: DoctorScript[]
}

/** `wrong`: a fix is needed. `empty`: there is nothing to check. */
export type DoctorVerdict = 'ok' | 'wrong' | 'empty'

/** Diagnosis of a release: its uploads and its newest events. */
export type ReleaseDiagnosis = {
  release: string
  dist: string | null
  verdict: DoctorVerdict
  bundles: BundleDiagnosis[]
  /** The newest 100 events of 30 days; null: the caller cannot read events. */
  events: { looked: number; frames: number; mapped: number } | null
  /** `count`: scripts of bundles, or events. */
  findings: (DoctorFinding & { count: number })[]
}
