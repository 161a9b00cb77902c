// npm run mutate: changes the product code in one place at a time and runs the unit tests of that area. A change that
// no test detects is a survivor. Scores go to bench/results.md, survivors to bench/out/mutation/. npm run mutate --
// journal scrub: these areas only. -- --file src/journal/record.ts: one file of its area, or some of its lines
// (src/journal/record.ts:40-60); its score is not saved. -- accept --sample 5: one in five blocks of lines of the area, for
// areas that take hours.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { machine } from '../bench/measure.ts'
import {
  type Area,
  areas,
  areasOf,
  type Mutant,
  sampleOf,
  scoreOf,
  scoreTable,
  survivorsOf,
  withSection,
} from './mutation.ts'

type Report = { files: Record<string, { mutants: Mutant[]; source: string }> }

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const home = join(root, 'packaging/mutate')
const core = join(home, 'node_modules/@stryker-mutator/core/bin/stryker.js')
const out = join(root, 'bench/out/mutation')
const resultsPath = join(root, 'bench/results.md')
const { values, positionals: named } = parseArgs({
  options: { file: { type: 'string' }, sample: { type: 'string' } },
  allowPositionals: true,
})
const { file } = values
const every = values.sample === undefined ? 1 : Number(values.sample)
if (!Number.isInteger(every) || every < 1) throw new Error('--sample takes a whole number, 2 or more')

function install(): void {
  if (existsSync(core)) return
  console.error('mutate: installing the mutation tester (once)')
  // The tester has vitest as a peer dependency. It uses the vitest of this checkout.
  const words = ['ci', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error']
  const done = spawnSync('npm', words, { cwd: home, stdio: ['ignore', 2, 2] })
  if (done.status !== 0) throw new Error('npm could not install packaging/mutate')
}

/** The product files of an area with their numbers of lines. */
function filesOf({ mutate }: Area): { path: string; lines: number }[] {
  const [wanted, left] = [mutate.filter((glob) => !glob.startsWith('!')), mutate.filter((glob) => glob.startsWith('!'))]
  return globSync(wanted, { cwd: root, exclude: left.map((glob) => glob.slice(1)) })
    .toSorted()
    .map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n').length }))
}

/** Runs the tester over one area and returns its report. Throws if the tests fail without any change. */
function run(name: string): Report {
  const area = areas[name]
  if (!area) throw new Error(`${name} is no area; there are ${Object.keys(areas).join(', ')}`)
  const folder = mkdtempSync(join(tmpdir(), 'mishap-mutate-'))
  const report = join(out, `${name}.json`)
  const config = {
    plugins: [join(home, 'node_modules/@stryker-mutator/vitest-runner/dist/src/index.js')],
    testRunner: 'vitest',
    vitest: { configFile: 'packaging/mutate/vitest.config.ts', related: false },
    mutate: file ? [file] : every > 1 ? sampleOf(filesOf(area), every) : area.mutate,
    // Most strings are sentences of errors and logs. Tests should not pin their wording.
    mutator: { excludedMutations: ['StringLiteral'] },
    // Static values cannot change for one test: each change would need a run of the whole suite.
    ignoreStatic: true,
    coverageAnalysis: 'perTest',
    concurrency: 2,
    timeoutMS: 10_000,
    // The tester would rewrite tsconfig.json with the JavaScript API of TypeScript, which version 7 does not have.
    tsconfigFile: 'none.json',
    tempDirName: join(folder, 'sandbox'),
    ignorePatterns: ['.next*', '/data', '/bench/out', '/docs/screenshot*.png', '/.build'],
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: report },
    disableTypeChecks: false,
    checkers: [],
  }
  writeFileSync(join(folder, 'stryker.config.json'), JSON.stringify(config))
  mkdirSync(out, { recursive: true })
  try {
    const done = spawnSync(process.execPath, [core, 'run', join(folder, 'stryker.config.json')], {
      cwd: root,
      stdio: ['ignore', 2, 2],
      env: { ...process.env, MISHAP_MUTATE_TESTS: JSON.stringify(area.tests) },
    })
    if (done.status !== 0) throw new Error(`the mutation tester failed on ${name}`)
    return JSON.parse(readFileSync(report, 'utf8')) as Report
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

install()
const wanted = file ? areasOf(file.replace(/:.*$/, '')) : Object.keys(areas)
if (wanted.length === 0) throw new Error(`no area has ${file}`)
for (const name of named.length > 0 ? named : wanted) {
  console.error(`mutate: ${name}`)
  const report = run(name)
  const score = scoreOf(Object.values(report.files).flatMap((part) => part.mutants))
  const survivors = Object.entries(report.files).flatMap(([path, part]) => survivorsOf(path, part.source, part.mutants))
  writeFileSync(join(out, `${name}.txt`), `${survivors.join('\n')}\n`)
  console.log(
    `${name}: ${score.killed} of ${score.valid} killed (${score.percent}%); survivors in bench/out/mutation/${name}.txt`,
  )
  if (file) continue
  const whole = every > 1 ? `sample of 1 in ${every} blocks of lines, ` : ''
  const row = { name, ...score, measured: `${whole}${new Date().toISOString().slice(0, 10)}, ${machine()}` }
  writeFileSync(
    resultsPath,
    withSection(readFileSync(resultsPath, 'utf8'), (rows) => scoreTable(rows, row)),
  )
}
