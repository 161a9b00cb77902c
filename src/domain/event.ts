import type { Json } from '../wire/json.ts'
import type { Detection } from './detectors/detection.ts'
import type { PerformanceIssueType } from './detectors/detectors.ts'
import type { Diagnostics } from './diagnostics.ts'
import type { Failure } from './error-links.ts'

/** Reasons why a frame of minified JavaScript is not fully mapped (docs/sourcemaps.md explains each). */
export const unmappedReasons = [
  'file_missing',
  'file_gone',
  'map_unnamed',
  'map_missing',
  'map_broken',
  'map_large',
  'map_slow',
  'map_pending',
  'location_invalid',
  'position_unmapped',
  'source_missing',
] as const
export type UnmappedReason = (typeof unmappedReasons)[number]

/** Result of mapping a frame. `sourcemap`: address of the map. `reason`: also set on a mapped frame without source. */
export type FrameData = {
  symbolicated: boolean
  sourcemap?: string
  resolved_with?: 'debug-id' | 'release' | 'release-old' | 'scraping'
  reason?: UnmappedReason
}

export type NormalFrame = {
  filename?: string
  abs_path?: string
  module?: string
  function?: string
  raw_function?: string
  lineno?: number
  colno?: number
  context_line?: string
  pre_context?: string[]
  post_context?: string[]
  in_app: boolean
  /** The SDK did not set `in_app`: it follows from the path and is decided again when the frame is mapped later. */
  in_app_unsaid?: true
  /** The sender mapped it: the function name comes from the source. */
  mapped_before?: true
  /** Value of `in_app` before a stack-trace rule changed it. */
  in_app_before?: boolean
  vars?: { [name: string]: Json }
  package?: string
  platform?: string
  instruction_addr?: string
  symbol_addr?: string
  image_addr?: string
  data?: FrameData
}

/** Frames from the oldest call to the newest. */
export type NormalStacktrace = { frames: NormalFrame[]; frames_omitted?: [number, number] }

export type NormalMechanism = {
  type: string
  handled?: boolean
  synthetic?: boolean
  description?: string
  help_link?: string
  source?: string
  exception_id?: number
  parent_id?: number
  is_exception_group?: boolean
  meta?: { [key: string]: Json }
  data?: { [key: string]: Json }
}

export type NormalException = {
  type?: string
  value?: string
  module?: string
  thread_id?: string | number
  stacktrace?: NormalStacktrace
  raw_stacktrace?: NormalStacktrace
  mechanism?: NormalMechanism
}

export type NormalThread = {
  id?: string | number
  name?: string
  crashed?: boolean
  current?: boolean
  main?: boolean
  state?: string
  stacktrace?: NormalStacktrace
  raw_stacktrace?: NormalStacktrace
}

export type NormalBreadcrumb = {
  timestamp?: number
  type: string
  category?: string
  level: string
  message?: string
  data?: { [key: string]: Json }
}

export type NormalRequest = {
  url?: string
  method?: string
  query_string?: [string, string][]
  fragment?: string
  headers?: [string, string][]
  cookies?: [string, string][]
  data?: Json
  env?: { [key: string]: Json }
  inferred_content_type?: string
}

export type NormalUser = {
  id?: string
  email?: string
  username?: string
  name?: string
  ip_address?: string
  geo?: { [key: string]: string }
  data?: { [key: string]: Json }
}

/** A grouping method, whether it counted, and why. */
export type GroupingVariant = {
  name: 'app' | 'system' | 'default' | 'custom_fingerprint' | 'hybrid' | 'checksum' | 'built_in_fingerprint'
  contributes: boolean
  hash?: string
  why: string
  values: string[]
}

/** What an issue is about. */
export type IssueKind = 'error' | 'message' | 'csp' | PerformanceIssueType

/** Results of refine, stored with the event. SDKs never send them. */
export type Findings = {
  title: string
  culprit: string
  /** For lists: type and first line of the value, file and function of the crash. */
  metadata: { type?: string; value?: string; filename?: string; function?: string }
  kind: IssueKind
  /** True if any exception was unhandled. */
  unhandled: boolean
  digest?: { value: string; found: string }
  /** Diagnostics: React error texts, hydration, skew, noise; absent if there are none. */
  signs?: Diagnostics
  /** All digests of the event, most certain first. `sure`: in a field or tag of its own. */
  digests?: { value: string; found: string; sure: boolean }[]
  /** Set if the event is one end of an error link. */
  failure?: Failure
  /** The evidence of a performance issue. Such an event was made by a detector, not by an SDK. */
  performance?: Detection
  /** Time of its reprocessing in ms since 1970. */
  mapped_again_ms?: number
  /** `rule`: text of the matching fingerprint rule. `secondary`: hashes of the previous version. */
  grouping: { version: number; variants: GroupingVariant[]; rule?: string; secondary?: string[] }
}

/** A processing error in a sent value. `name` is its path, `value` the shortened value. */
export type EventError = { type: string; name?: string; value?: Json; reason?: string }

/** `_meta` mirrors the event tree. The leaf under key '' records the changes of that value. */
export type Meta = { ''?: { len?: number; rem?: [string, string, number?, number?][]; err?: string[]; val?: Json } } & {
  [key: string]: Meta | undefined | unknown
}

export type NormalEvent = {
  event_id: string
  /** Seconds since 1970 with microsecond precision. */
  timestamp: number
  received: number
  platform: string
  level: 'fatal' | 'error' | 'warning' | 'info' | 'debug'
  /** `generic`: made by a detector. */
  type: 'error' | 'default' | 'csp' | 'hpkp' | 'expectct' | 'expectstaple' | 'generic'
  logger?: string
  transaction?: string
  server_name?: string
  release?: string
  dist?: string
  environment?: string
  modules?: { [name: string]: string }
  extra?: { [key: string]: Json }
  tags: [string, string][]
  fingerprint?: string[]
  checksum?: string
  errors: EventError[]
  user?: NormalUser
  request?: NormalRequest
  contexts: { [name: string]: { [key: string]: Json } }
  breadcrumbs?: { values: NormalBreadcrumb[] }
  exception?: { values: NormalException[] }
  threads?: { values: NormalThread[] }
  stacktrace?: NormalStacktrace
  raw_stacktrace?: NormalStacktrace
  logentry?: { message?: string; formatted?: string; params?: Json }
  template?: { [key: string]: Json }
  csp?: { [key: string]: Json }
  debug_meta?: { images: { [key: string]: Json }[] }
  sdk?: { name: string; version: string; packages?: { name: string; version: string }[]; integrations?: string[] }
  _meta?: Meta
  findings: Findings
}

/** Values of a tag, most events first. `unique` also counts values that `values` omits. */
export type TagCount = { key: string; total: number; unique: number; values: { value: string; events: number }[] }
