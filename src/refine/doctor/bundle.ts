import type { BundleDiagnosis, DoctorFinding, DoctorScript, DoctorVerdict } from '../../domain/doctor.ts'
import { type DoctorCode, findingOf } from '../../domain/doctor-findings.ts'
import type { ArtifactFile, Bundle, BundleLink } from '../../store/meta/artifacts/artifacts.ts'
import {
  artifactsIn,
  type Deadline,
  type DoctorDeps,
  type DoctorProject,
  placeOf,
  planned,
  readPlan,
} from './gather.ts'
import { sourcesOf } from './spot.ts'

/** Maximum maps to read of one bundle or release, then maximum files and scripts. */
export const mapsMax = 40
const filesMax = 2000
const scriptsMax = 200

/** The remaining budget of one diagnosis. */
export type Budget = Deadline & { maps: number }

export type Counted = DoctorFinding & { count: number }

/** Each finding once, with its count. Faults come first, then the most frequent findings. */
export function countFindings(findings: readonly (DoctorFinding & { count?: number })[]): Counted[] {
  const counted = new Map<string, Counted>()
  for (const finding of findings) {
    const key = `${finding.code} ${finding.weight}`
    const existing = counted.get(key)
    if (existing) existing.count += finding.count ?? 1
    else counted.set(key, { ...finding, count: finding.count ?? 1 })
  }
  const rank = (entry: Counted) => (entry.weight === 'wrong' ? 0 : 1)
  return [...counted.values()].toSorted((a, b) => rank(a) - rank(b) || b.count - a.count)
}

export const verdictOf = (findings: readonly DoctorFinding[], isEmpty: boolean): DoctorVerdict =>
  findings.some((finding) => finding.weight === 'wrong') ? 'wrong' : isEmpty ? 'empty' : 'ok'

const isScript = (artifactFile: ArtifactFile) =>
  artifactFile.type === 'minified_source' || (artifactFile.type === 'source' && /\.[cm]?js$/i.test(artifactFile.url))

/** Diagnoses one script of a bundle: whether events find it, whether it has a map, and whether the map has sources. */
async function lookAt(
  deps: DoctorDeps,
  project: DoctorProject,
  { script, pack: { bundle, files, links } }: { script: ArtifactFile; pack: Pack },
  budget: Budget,
): Promise<DoctorScript & { read: boolean }> {
  const { debugId, url } = script
  const link = links.find((entry) => entry.release !== '')
  const place = placeOf(deps, project, link?.release, link?.dist)
  const finding = (code: DoctorCode, data: Record<string, string>) =>
    findingOf(code, { url, found: url, ...data }, place)
  const shown = { url, debugId: debugId || null, map: null, sources: null, sourcesMissing: null, read: false }
  // A build whose SDK sends no release needs none here.
  if (debugId === '' && !link && bundle.usedMs <= bundle.createdMs)
    return { ...shown, finding: finding('unfindable', {}) }
  const requested = { debugId: debugId || undefined, url, release: link?.release, dist: link?.dist ?? '' }
  const plan = await planned(deps, project.project.id, requested, artifactsIn(files))
  if (!plan) return { ...shown, finding: finding('file_gone', {}) }
  const map = plan.map?.url ?? (plan.inline ? 'data:' : null)
  if (!map) return { ...shown, finding: finding(codeOf(plan.reason, false), { map: plan.named ?? '' }) }
  if (budget.maps <= 0) return { ...shown, map, finding: null }
  budget.maps--
  const { flat, reason } = await readPlan(deps, project.project.id, requested, plan, {
    deadline: budget,
    useCache: false,
  })
  if (reason === 'map_pending') return { ...shown, map, finding: null }
  if (!flat) return { ...shown, map, read: true, finding: finding(codeOf(reason, plan.inline), { map }) }
  const { all, missing, first } = sourcesOf(flat)
  const read = { ...shown, map, read: true, sources: all, sourcesMissing: missing }
  if (missing === 0) return { ...read, finding: null }
  // If only some sources have no text, they mostly belong to a tool.
  const weight = missing === all ? 'wrong' : 'note'
  return { ...read, finding: findingOf('source_missing', { source: first }, place, weight) }
}

function codeOf(reason: string | undefined, inline: boolean): DoctorCode {
  switch (reason) {
    case 'map_missing':
    case 'map_large':
    case 'map_slow':
    case 'file_gone':
      return reason
    case 'map_broken':
      return inline ? 'map_inline_broken' : reason
    default:
      return 'map_unnamed'
  }
}

/** Files that are diagnosed together: a bundle, or all files uploaded one by one to a release. */
export type Pack = {
  bundle: Pick<Bundle, 'uuid' | 'createdMs' | 'usedMs'>
  files: readonly ArtifactFile[]
  links: readonly BundleLink[]
}

/** A bundle with its files and its links in a project. */
export async function packOf({ meta }: DoctorDeps, projectId: number, bundle: Bundle): Promise<Pack> {
  const files = await meta.artifacts.filesOf({ bundleId: bundle.id, text: '', afterId: 0, max: filesMax })
  return {
    bundle,
    files,
    links: (await meta.artifacts.linksOf([bundle.id])).filter((link) => link.projectId === projectId),
  }
}

/** Diagnoses the scripts of a pack except those whose URL is in `skip`. */
export async function diagnosePack(
  deps: DoctorDeps,
  project: DoctorProject,
  pack: Pack,
  budget: Budget,
  skip: ReadonlySet<string> = new Set(),
): Promise<BundleDiagnosis> {
  const { bundle, files, links } = pack
  const all = files.filter((file) => isScript(file) && !skip.has(file.url))
  const scripts: (DoctorScript & { read: boolean })[] = []
  for (const script of all.slice(0, scriptsMax)) scripts.push(await lookAt(deps, project, { script, pack }, budget))
  const anyMapped = scripts.some((script) => script.map !== null)
  const findings = scripts.flatMap(({ finding }) => {
    if (!finding) return []
    // If other files have maps, a file without a map mostly belongs to a library.
    return [finding.code === 'map_unnamed' && anyMapped ? { ...finding, weight: 'note' as const } : finding]
  })
  return {
    bundleId: bundle.uuid,
    verdict: verdictOf(findings, all.length === 0),
    dateCreated: new Date(bundle.createdMs).toISOString(),
    used: bundle.usedMs > bundle.createdMs,
    associations: links
      .filter((link) => link.release !== '')
      .map(({ release, dist }) => ({ release, dist: dist || null })),
    scripts: all.length,
    read: scripts.filter((script) => script.read).length,
    findings: countFindings(findings),
    files: scripts.map(({ read: _read, ...script }) => script),
  }
}
