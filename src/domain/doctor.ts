import type { DoctorCode } from './doctor-findings.ts'

/** What is looked at between a frame and its source, in this order. */
export const doctorSteps = ['address', 'debug_id', 'bundle', 'file', 'map', 'column', 'source'] as const
export type DoctorStepName = (typeof doctorSteps)[number]

/** `unused`: not needed for this file; `open`: not reached, as a step before it failed. */
export type DoctorStep = {
  step: DoctorStepName
  state: 'ok' | 'failed' | 'unused' | 'open'
  /** What was found: an address, an id, a name; '' for nothing. */
  found: string
}

/** `wrong`: frames stay minified until it is mended; `note`: worth knowing, nothing that has to be mended. */
export type DoctorWeight = 'wrong' | 'note'

/** One thing that was found. `message` and `mend` are English; screens say `code` with `data` in their own language. */
export type DoctorFinding = {
  code: DoctorCode
  step: DoctorStepName
  weight: DoctorWeight
  /** Values of the sentences, at most 300 characters each; times in ISO 8601. */
  data: Record<string, string>
  message: string
  mend: string
  /** Lines for a shell, everything quoted; null where no command helps. */
  command: string | null
}

/** A file that frames of an event lie in. */
export type DoctorFile = {
  url: string
  debugId: string | null
  /** How many frames lie in it, and where the one lies that was looked at; both from 1, null when it was not sent. */
  frames: number
  line: number | null
  column: number | null
  /** `now`: it would be mapped now, and was not when the event came. */
  state: 'ok' | 'now' | 'failed'
  steps: DoctorStep[]
  finding: DoctorFinding | null
}

/** What the doctor says of an event. `none`: it has no frame that could be mapped. */
export type EventDiagnosis = {
  eventId: string
  release: string | null
  dist: string | null
  verdict: 'ok' | 'now' | 'failed' | 'none'
  /** As stored. `ignored`: parts of a runtime or of an extension, code without a file, native code. */
  frames: { mapped: number; unmapped: number; ignored: number }
  /** The first failing step of the file that matters most. */
  finding: DoctorFinding | null
  files: DoctorFile[]
  /** Files beyond the first 30. */
  filesOmitted: number
}

/** A script of a bundle. `map`: its source map as it is called there. */
export type DoctorScript = {
  url: string
  debugId: string | null
  map: string | null
  /** Sources that the map names, and how many of them have no text; null: the map was not read. */
  sources: number | null
  sourcesMissing: number | null
  finding: DoctorFinding | null
}

/** What the doctor says of a bundle. Up to 40 maps of one are read. */
export type BundleDiagnosis = {
  bundleId: string
  verdict: DoctorVerdict
  dateCreated: string
  /** Whether an event has used it since. */
  used: boolean
  associations: { release: string | null; dist: string | null }[]
  scripts: number
  /** Of how many the map was read. */
  read: number
  /** Each finding once, the worst and most frequent first. */
  findings: (DoctorFinding & { count: number })[]
  /** The first 200 scripts. */
  files: DoctorScript[]
}

/** `wrong`: something has to be mended; `empty`: there is nothing to look at. */
export type DoctorVerdict = 'ok' | 'wrong' | 'empty'

/** What the doctor says of a release: of what was uploaded for it, and of its newest events. */
export type ReleaseDiagnosis = {
  release: string
  dist: string | null
  verdict: DoctorVerdict
  bundles: BundleDiagnosis[]
  /** Of the newest 100 events of 30 days; null: whoever asks may not read events. */
  events: { looked: number; frames: number; mapped: number } | null
  /** `count`: scripts of bundles, or events. */
  findings: (DoctorFinding & { count: number })[]
}
