import { isDeepStrictEqual } from 'node:util'
import { LineCounter, parseDocument, stringify } from 'yaml'
import type { z } from 'zod'
import { MishapError } from '../base/errors.ts'
import {
  alertFile,
  type ConfigItem,
  channelsFile,
  dashboardFile,
  type ProjectFile,
  projectFile,
  queriesFile,
  schedulesFile,
  type ViewFile,
  viewsFile,
} from '../contract/config-files.ts'
import type { RestTile } from '../contract/explore/dashboards.ts'
import { isRelativeRange, relativeRanges } from '../domain/time-ranges.ts'
import { viewSorts } from '../domain/view-scopes.ts'
import { queriesOfPlan, tilesOf } from '../query/dashboards/dashboard-tiles.ts'
import { splitColumns } from '../query/logs/condition.ts'
import { alertKey, printedAlert, scheduleKey } from './config/config-alerts.ts'

/** YAML texts by their path, with / between folders. */
export type ConfigFiles = Readonly<Record<string, string>>

/** Anchors can make a small text huge. This many uses of them are more than a person writes. */
const aliasesMax = 100
const faultsShown = 50

type Path = readonly PropertyKey[]

/** A file that was read: its value, and the line of each path in it. */
type ReadFile = { value: unknown; lineOf: (path: Path) => number }

function readYaml(text: string, fault: (line: number, sentence: string) => void): ReadFile | undefined {
  const lines = new LineCounter()
  // The core schema has no tags that construct objects. Duplicate keys are errors.
  const document = parseDocument(text, { lineCounter: lines, schema: 'core', uniqueKeys: true, prettyErrors: false })
  for (const error of document.errors) fault(lines.linePos(error.pos[0]).line, error.message)
  if (document.errors.length > 0) return undefined
  const lineOf = (path: Path): number => {
    for (let length = path.length; length >= 0; length--) {
      const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
      const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined
      if (Array.isArray(range) && typeof range[0] === 'number') return lines.linePos(range[0]).line
    }
    return 1
  }
  try {
    return { value: document.toJS({ maxAliasCount: aliasesMax }) as unknown, lineOf }
  } catch (error) {
    fault(1, error instanceof Error ? error.message : String(error))
    return undefined
  }
}

/** The name of the list entry that a path is in, such as a view; '' outside of lists and for an entry without a name. */
function entryOf(value: unknown, [list, place]: Path): string {
  const all = typeof value === 'object' && value !== null && list !== undefined ? Reflect.get(value, list) : undefined
  const entry: unknown = Array.isArray(all) && typeof place === 'number' ? all[place] : undefined
  const name: unknown = typeof entry === 'object' && entry !== null ? Reflect.get(entry, 'name') : undefined
  return typeof name === 'string' && name.trim() !== '' ? ` (${JSON.stringify(name.slice(0, 80))})` : ''
}

/** Checks a value. Each fault names its line; an unknown key names itself. */
function checked<Shape extends z.ZodType>(
  shape: Shape,
  { value, lineOf }: ReadFile,
  fault: (line: number, sentence: string) => void,
): z.output<Shape> | undefined {
  const read = shape.safeParse(value)
  if (read.success) return read.data
  for (const issue of read.error.issues) {
    if (issue.code === 'unrecognized_keys')
      for (const key of issue.keys) fault(lineOf([...issue.path, key]), `The key ${key} is unknown.`)
    else
      fault(
        lineOf(issue.path),
        `${issue.path.map(String).join('.') || 'The file'}: ${issue.message}${entryOf(value, issue.path)}`,
      )
  }
  return undefined
}

/** `widgets[2].queries[0].orderby` as a path. */
const pathOf = (field: string): (string | number)[] =>
  [...field.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([part, index]) => (index === undefined ? part : Number(index)))

export const dashboardKey = (title: string): string => `dashboard ${title}`
export const viewKey = ({ scope, name }: Pick<ViewFile, 'scope' | 'name'>): string => `view ${scope} ${name}`
export const queryKey = (name: string): string => `query ${name}`
export const channelKey = (name: string): string => `channel ${name}`
export const projectKey = (slug: string): string => `project ${slug}`

type Fault = (line: number, sentence: string) => void

/** The items of one file. */
function itemsOf(file: string, read: ReadFile, fault: Fault): ConfigItem[] {
  if (file === 'views.yaml') {
    const value = checked(viewsFile, read, fault)
    return (value?.views ?? []).map((view) => ({ key: viewKey(view), kind: 'view', file, value: view }))
  }
  if (file === 'queries.yaml') {
    const value = checked(queriesFile, read, fault)
    return (value?.queries ?? []).map((own) => ({ key: queryKey(own.name), kind: 'query', file, value: own }))
  }
  if (file === 'notifications.yaml') {
    const value = checked(channelsFile, read, fault)
    return (value?.channels ?? []).map((own) => ({ key: channelKey(own.name), kind: 'channel', file, value: own }))
  }
  if (file === 'on-call.yaml') {
    const value = checked(schedulesFile, read, fault)
    return (value?.schedules ?? []).map((own) => ({ key: scheduleKey(own.name), kind: 'schedule', file, value: own }))
  }
  if (file.startsWith('alerts/')) {
    const value = checked(alertFile, read, fault)
    return value ? [{ key: alertKey(value.name), kind: 'alert', file, value }] : []
  }
  if (file.startsWith('projects/')) {
    const value = checked(projectFile, read, fault)
    return value ? [{ key: projectKey(value.project), kind: 'project', file, value }] : []
  }
  const value = checked(dashboardFile, read, fault)
  if (!value) return []
  try {
    tilesOf(value.widgets, [])
  } catch (error) {
    if (!(error instanceof MishapError)) throw error
    for (const [field, sentences] of Object.entries(error.fields ?? {}))
      fault(read.lineOf(pathOf(field)), `${field}: ${sentences.join(' ')}`)
  }
  return [{ key: dashboardKey(value.title.trim()), kind: 'dashboard', file, value }]
}

/** The files of a configuration, without their ending. */
const known = /^(?:views|queries|notifications|on-call|(?:projects|dashboards|alerts)\/[^/]+)$/

/** Whether a path is one of a configuration. A path has / between folders. */
export const isConfigFile = (path: string): boolean => path.endsWith('.yaml') && known.test(path.slice(0, -5))

/** Reads files. Throws VALIDATION that names file and line of everything that is wrong. */
export function readConfigFiles(files: ConfigFiles): ConfigItem[] {
  const faults: string[] = []
  const items: ConfigItem[] = []
  for (const [file, text] of Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const fault: Fault = (line, sentence) => faults.push(`${file}:${line}: ${sentence}`)
    if (!isConfigFile(file)) {
      fault(
        1,
        'Files are views.yaml, queries.yaml, notifications.yaml, on-call.yaml, projects/SLUG.yaml, dashboards/NAME.yaml and alerts/NAME.yaml.',
      )
      continue
    }
    const read = readYaml(text, fault)
    for (const item of read ? itemsOf(file, read, fault) : []) {
      const other = items.find(({ key }) => key === item.key)
      if (other) fault(1, `${item.key} is also in ${other.file}.`)
      else items.push(item)
    }
  }
  if (faults.length > 0)
    throw new MishapError('VALIDATION', {
      detail: [
        ...faults.slice(0, faultsShown),
        ...(faults.length > faultsShown ? [`and ${faults.length - faultsShown} more`] : []),
      ].join('\n'),
    })
  return items
}

/** A value as YAML, in the order of its keys. Several lines of text are a block, so that a diff shows their lines. */
export const toYaml = (value: unknown): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, blockQuote: 'literal', schema: 'core' })

/** A tile of a file: with its plan if that says all, else with its queries. */
export function tileValue({ id: _id, plan, queries, ...tile }: RestTile) {
  const isPlain = plan !== null && isDeepStrictEqual(queriesOfPlan(plan), queries)
  if (plan === null) return queries.length > 0 ? { ...tile, queries } : tile
  return isPlain ? { ...tile, plan } : { ...tile, queries }
}

/**
 * A project as it is written. Its mappings are in the order of their stack roots. Without any it is the text that it was
 * before files had them: nothing has drifted by an upgrade.
 */
function printedProject({ codeMappings = [], ...project }: ProjectFile): ProjectFile {
  const sorted = codeMappings.toSorted((a, b) => (a.stackRoot < b.stackRoot ? -1 : 1))
  return sorted.length > 0 ? { ...project, codeMappings: sorted } : project
}

/** The value of an item as it is written: with the defaults of all fields, so that equal things are equal texts. */
export function printed(item: ConfigItem): unknown {
  if (item.kind === 'view') {
    const { columns, facets, ...view } = item.value
    const sort = view.sort === '' ? (viewSorts[view.scope][0] ?? '') : view.sort
    // Without them, a view is the text that it was before views had any: nothing has drifted by an upgrade.
    return { ...view, sort, ...(columns.length > 0 ? { columns } : {}), ...(facets.length > 0 ? { facets } : {}) }
  }
  if (item.kind === 'alert') return printedAlert(item.value)
  if (item.kind === 'project') return printedProject(item.value)
  if (item.kind !== 'dashboard') return item.value
  const { title, widgets, ...values } = item.value
  return { title: title.trim(), ...values, widgets: tilesOf(widgets, []).map(tileValue) }
}

/** What views name as columns or facets and logs do not have, in sentences. Their lists leave it out. */
export const columnNotes = (items: readonly ConfigItem[]): string[] =>
  items.flatMap((item) =>
    item.kind === 'view'
      ? (['column', 'facet'] as const).flatMap((what) =>
          splitColumns(item.value[`${what}s`]).unknown.map(
            (name) =>
              `${item.key} has the ${what} ${JSON.stringify(name)}, which logs do not have. The list leaves it out.`,
          ),
        )
      : [],
  )

/** Lengths that the menus of screens do not offer, in sentences. A screen then opens with the range of its own. */
export const periodNotes = (items: readonly ConfigItem[]): string[] =>
  items.flatMap((item) => {
    const period = item.kind === 'view' || item.kind === 'query' || item.kind === 'dashboard' ? item.value.period : null
    if (!period || period.includes('/') || isRelativeRange(period)) return []
    const offered = Object.keys(relativeRanges).join(', ')
    return [`${item.key} has the period ${period}. Screens offer ${offered}, so it opens with the usual one.`]
  })

/** A file name for a title: small letters, digits and dashes. Another file with this name gets a number. */
function fileName(kind: 'dashboard' | 'alert', title: string, taken: ReadonlySet<string>): string {
  const base =
    title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60) || kind
  for (let number = 1; ; number++) {
    const name = `${kind}s/${number === 1 ? base : `${base}-${number}`}.yaml`
    if (!taken.has(name)) return name
  }
}

/** The files of items. */
export function writeConfigFiles(items: readonly ConfigItem[]): Record<string, string> {
  const files: Record<string, string> = {}
  const views = items.flatMap((item) => (item.kind === 'view' ? [printed(item)] : []))
  const queries = items.flatMap((item) => (item.kind === 'query' ? [item.value] : []))
  const channels = items.flatMap((item) => (item.kind === 'channel' ? [item.value] : []))
  const schedules = items.flatMap((item) => (item.kind === 'schedule' ? [item.value] : []))
  const taken = new Set<string>()
  for (const item of items)
    if (item.kind === 'project') files[`projects/${item.value.project}.yaml`] = toYaml(printed(item))
  // In the order of names: after an apply, ids have the order of the files.
  for (const item of [...items].sort((a, b) => (a.key < b.key ? -1 : 1))) {
    if (item.kind !== 'dashboard' && item.kind !== 'alert') continue
    const name = fileName(item.kind, item.kind === 'alert' ? item.value.name : item.value.title, taken)
    taken.add(name)
    files[name] = toYaml(printed(item))
  }
  if (views.length > 0) files['views.yaml'] = toYaml({ views })
  if (queries.length > 0) files['queries.yaml'] = toYaml({ queries })
  if (channels.length > 0) files['notifications.yaml'] = toYaml({ channels })
  if (schedules.length > 0) files['on-call.yaml'] = toYaml({ schedules })
  return files
}
