import { matchesGlob } from 'node:path'

/** The parts of a mutation report that this file reads. Format: mutation testing report schema, version 2. */
export type Mutant = {
  mutatorName: string
  replacement?: string
  status: string
  location: { start: { line: number; column: number }; end: { line: number; column: number } }
}

/** The files to change, and the unit tests that must detect the changes. */
export type Area = { mutate: string[]; tests: string[] }

const product = (...globs: string[]): string[] => [...globs, '!src/**/*.test.ts', '!src/**/*.cases.ts']

/** Every area that must reach the goal. Areas cover code in which a silent mistake loses or exposes data. */
export const areas: Record<string, Area> = {
  journal: { mutate: product('src/journal/*.ts'), tests: ['src/journal/*.test.ts'] },
  accept: { mutate: product('src/ingest/*.ts'), tests: ['src/ingest/*.test.ts'] },
  // An area has only the tests written for its files. A test that starts workers or the engine takes seconds, and each
  // change would run it again: all tests of refine and of the events store took eight hours.
  storing: {
    mutate: product('src/refine/pipeline/{store-rows,deduplicate,retry,crash-guard,dedup-window}.ts'),
    tests: ['src/refine/pipeline/{store-rows,refused-rows,deduplicate,retry,crash-guard,dedup-window}.test.ts'],
  },
  settle: { mutate: product('src/store/events/settle.ts'), tests: ['src/store/events/{settle,gate}.test.ts'] },
  refine: {
    mutate: product('src/refine/pipeline/{refine,recovery}.ts'),
    tests: ['src/refine/pipeline/{refine,recovery}.test.ts', 'src/refine/{loop,order,waiting}.test.ts'],
  },
  meta: {
    mutate: product(
      'src/store/meta/ingest/{batch,batch-statements}.ts',
      'src/store/meta/issues/{merge,issue-state}.ts',
      'src/domain/issue-states.ts',
    ),
    tests: ['src/store/meta/meta.test.ts', 'src/store/meta/issues/*.test.ts', 'src/domain/issue-states.test.ts'],
  },
  scrub: { mutate: product('src/refine/scrub/*.ts'), tests: ['src/refine/scrub/*.test.ts'] },
  auth: { mutate: product('src/auth/*.ts'), tests: ['src/auth/*.test.ts'] },
}

const blockLines = 12

/**
 * One in `every` blocks of twelve lines of each file, as the tester takes ranges (`path:first-last`). The first block moves
 * on with each file, so that heads of files do not weigh more than their ends.
 */
export const sampleOf = (files: readonly { path: string; lines: number }[], every: number): string[] =>
  files.flatMap(({ path, lines }, number) =>
    Array.from({ length: Math.ceil(lines / blockLines) }, (_, block) => block)
      .filter((block) => (block + number) % every === 0)
      .map((block) => `${path}:${block * blockLines + 1}-${Math.min(lines, (block + 1) * blockLines)}`),
  )

/** Names of the areas that change a file. */
export const areasOf = (file: string): string[] =>
  Object.entries(areas)
    .filter(([, { mutate }]) => mutate.some((glob) => !glob.startsWith('!') && matchesGlob(file, glob)))
    .map(([name]) => name)

/** Share of changes that tests must detect, in percent. */
const goalPercent = 85

type Score = { killed: number; survived: number; untested: number; valid: number; percent: number }

/**
 * Counts of one area. A change that makes the code run forever counts as killed. `percent` is the killed share, with
 * changes that no test reaches in the total. Changes that could not run (static values, load errors) are left out.
 */
export function scoreOf(mutants: Mutant[]): Score {
  const count = (...states: string[]) => mutants.filter((mutant) => states.includes(mutant.status)).length
  const killed = count('Killed', 'Timeout')
  const survived = count('Survived')
  const untested = count('NoCoverage')
  const valid = killed + survived + untested
  return { killed, survived, untested, valid, percent: valid === 0 ? 0 : Math.floor((1000 * killed) / valid) / 10 }
}

/** One line for each change that no test detected: the place, the original code and the replacement. */
export function survivorsOf(path: string, source: string, mutants: Mutant[]): string[] {
  const lines = source.split('\n')
  return mutants
    .filter((mutant) => mutant.status === 'Survived' || mutant.status === 'NoCoverage')
    .map(({ location: { start, end }, mutatorName, replacement = '', status }) => {
      const line = lines[start.line - 1] ?? ''
      const before =
        start.line === end.line ? line.slice(start.column - 1, end.column - 1) : line.slice(start.column - 1)
      const reached = status === 'NoCoverage' ? ' (no test reaches it)' : ''
      return `${path}:${start.line}:${start.column} ${mutatorName}${reached}: ${before.trim()} -> ${replacement.replace(/\s+/g, ' ')}`
    })
}

const heading = '## Mutation scores'
const intro = `${heading}

By \`npm run mutate\`: the unit tests of an area against one change at a time. Goal: at least ${goalPercent}% killed in each. Texts and values that a module makes once are not changed.
`

/** Returns the page of results with a new section of scores, which is the last section of the page. */
export function withSection(page: string, table: (rows: string[]) => string): string {
  const at = page.indexOf(heading)
  const rows = (at < 0 ? '' : page.slice(at)).split('\n').filter((line) => /^\| \w+ \| \d/.test(line))
  return `${(at < 0 ? page : page.slice(0, at)).trimEnd()}\n\n${intro}\n${table(rows)}\n`
}

/** The section of scores of a page with the blank line before it, or '' if the page has none. */
export function sectionOf(page: string): string {
  const at = page.indexOf(heading)
  return at < 0 ? '' : `\n${page.slice(at)}`
}

/** The table of scores with the row of one area replaced or added. */
export function scoreTable(rows: string[], score: Score & { name: string; measured: string }): string {
  const cells = [
    score.name,
    `${score.percent}%`,
    score.killed,
    score.survived,
    score.untested,
    score.percent >= goalPercent ? 'yes' : '**no**',
    score.measured,
  ]
  const others = rows.filter((row) => !row.startsWith(`| ${score.name} |`))
  const all = [...others, `| ${cells.join(' | ')} |`].sort()
  const head = '| Area | Killed | Killed, number | Survived | Not reached by a test | Goal met | Measured |'
  return [head, '|---|---|---|---|---|---|---|', ...all].join('\n')
}
