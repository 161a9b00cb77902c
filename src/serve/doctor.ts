import type { BundleDiagnosis, DoctorFinding, ReleaseDiagnosis } from '../domain/doctor.ts'

/** Arguments of `mishap doctor`. Missing ones come from the environment variables of sentry-cli. */
type DoctorWords = Partial<Record<'release' | 'dist' | 'url' | 'org' | 'project' | 'token', string>>

/** Exit `code`: 0 no problem, 1 a problem, 2 the server could not be queried. */
type DoctorReport = { code: 0 | 1 | 2; lines: string[]; answer: ReleaseDiagnosis | { error: string } }

const variables = {
  url: ['--url', 'SENTRY_URL'],
  org: ['--org', 'SENTRY_ORG'],
  project: ['--project', 'SENTRY_PROJECT'],
  token: ['--token', 'SENTRY_AUTH_TOKEN'],
  release: ['--release', 'SENTRY_RELEASE'],
} as const

type DoctorOptions = Record<keyof typeof variables, string>

/** Control characters would be commands to the terminal. */
const safe = (text: string) => text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')

const refused = (error: string): DoctorReport => ({
  code: 2,
  lines: [`mishap doctor: ${safe(error)}`],
  answer: { error },
})

/** Returns all required values, or a sentence about the missing value. */
function readOptions(words: DoctorWords, env: Readonly<Record<string, string | undefined>>): DoctorOptions | string {
  const options: Partial<DoctorOptions> = {}
  for (const [name, [flag, variable]] of Object.entries(variables) as [
    keyof DoctorOptions,
    readonly [string, string],
  ][]) {
    const value = words[name] ?? env[variable]
    if (!value) return `${flag} or ${variable} is needed. See mishap --help.`
    options[name] = value
  }
  return options as DoctorOptions
}

const requestMs = 60_000

/**
 * Queries a running Mishap about a release. Never throws: errors return code 2 with a sentence. `dist` undefined means
 * every dist.
 */
export async function runDoctor(
  words: DoctorWords,
  env: Readonly<Record<string, string | undefined>>,
  call: typeof fetch = fetch,
): Promise<DoctorReport> {
  const options = readOptions(words, env)
  if (typeof options === 'string') return refused(options)
  const { url, org, project, token, release } = options
  const pathname = [org, project].map(encodeURIComponent).join('/')
  const path = `projects/${pathname}/releases/${encodeURIComponent(release)}/source-map-debug/`
  const query = words.dist === undefined ? '' : `?dist=${encodeURIComponent(words.dist)}`
  const target = `${url.replace(/\/+$/, '')}/api/0/${path}${query}`
  try {
    if (!/^https?:$/.test(new URL(target).protocol)) return refused(`${url} is not an http or https URL.`)
    const answer = await call(target, {
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      signal: AbortSignal.timeout(requestMs),
    })
    const text = await answer.text()
    if (answer.status !== 200) return refused(sentenceOf(answer.status, text, { url, org, project }))
    const diagnosis = readAnswer(text)
    return diagnosis ? reportOf(diagnosis) : refused(`${url} does not answer like Mishap.`)
  } catch (error) {
    return refused(`${url} did not answer (${faultOf(error)}).`)
  }
}

function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause as { code?: unknown } | undefined
  return typeof cause?.code === 'string' ? cause.code : error.message
}

function sentenceOf(
  status: number,
  text: string,
  { url, org, project }: Pick<DoctorOptions, 'url' | 'org' | 'project'>,
): string {
  if (status === 401) return `${url} does not know the token.`
  if (status === 403) return 'The token may not read releases: it needs the scope project:releases, or org:ci.'
  if (status === 404) return `${url} has no project ${org}/${project} that this token may see.`
  const detail = readJson(text)?.detail
  return `${url} answered ${status}${typeof detail === 'string' ? `: ${detail.slice(0, 300)}` : '.'}`
}

function readJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function readAnswer(text: string): ReleaseDiagnosis | undefined {
  const value = readJson(text)
  const isAnswer = Array.isArray(value?.bundles) && Array.isArray(value.findings) && typeof value.verdict === 'string'
  return isAnswer ? (value as unknown as ReleaseDiagnosis) : undefined
}

const counted = (count: number, text: string, many: string) => `${count} ${count === 1 ? text : many}`

function bundleLine({ bundleId, scripts, read, verdict }: BundleDiagnosis): string {
  const name = bundleId === '' ? 'single files' : `bundle ${bundleId.slice(0, 8)}`
  const maps = `${counted(read, 'map', 'maps')} read`
  return `${verdict === 'wrong' ? 'WRONG' : 'ok   '} ${name}: ${counted(scripts, 'script', 'scripts')}, ${maps}`
}

function findingLines(finding: DoctorFinding & { count: number }): string[] {
  const { weight, message, mend, command, count, code } = finding
  const times = count > 1 ? ` (${count} times)` : ''
  const prefix = weight === 'wrong' ? 'WRONG' : 'note '
  const shell = weight === 'wrong' && command ? command.split('\n').map((line) => `        ${safe(line)}`) : []
  return [`${prefix} ${safe(message)}${times} [${code}]`, `      ${safe(mend)}`, ...shell]
}

/** Returns the report as text lines, and the exit code. */
function reportOf(diagnosis: ReleaseDiagnosis): DoctorReport {
  const { release, verdict, bundles, events, findings } = diagnosis
  const share =
    events === null
      ? 'events: the token may not read them (it needs event:read)'
      : events.frames === 0
        ? `events: ${events.looked} checked, none with a mappable frame`
        : `events: ${events.mapped} of ${counted(events.frames, 'frame', 'frames')} mapped, ${events.looked} checked`
  const lines = [
    ...bundles.map(bundleLine),
    share,
    ...findings.flatMap(findingLines),
    verdict === 'wrong'
      ? `Release ${safe(release)}: frames stay minified until this is fixed.`
      : `Release ${safe(release)} is good.`,
  ]
  return { code: verdict === 'wrong' ? 1 : 0, lines, answer: diagnosis }
}
