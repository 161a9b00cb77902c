/**
 * Makes dist/, which `npm pack` packs: the program as JavaScript, as Node strips no types inside node_modules, and the
 * built screens with what they need. The folders stand to each other as in the sources, so that every address relative
 * to a file holds. `node scripts/dist.ts`, after the screens are built.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { screensFolder } from '../src/base/config.ts'

const root = join(import.meta.dirname, '..')

/** Where the program begins: the command, and what processes and workers are started with. */
const entries = [
  'src/processes/main.ts',
  'src/processes/app.ts',
  'src/processes/engine.ts',
  'src/refine/pipeline/worker.ts',
]

/** A file of ours by its relative address, in quotes: imports, workers and processes alike. */
const ownFile = /(['"])(\.{1,2}\/[\w./-]+)\.ts\1/g
/** A table of ours: an import of JSON, which stays as it is. */
const ownTable = /from (['"])(\.{1,2}\/[\w./-]+\.json)\1/g

/** One source as JavaScript, its lines where they were, and the paths of the sources that it names. */
export function toJavaScript(path: string, text: string): { code: string; named: string[] } {
  const named: string[] = []
  const code = stripTypeScriptTypes(text)
    .replace(ownFile, (_all, quote: string, file: string) => {
      named.push(join(dirname(path), `${file}.ts`))
      return `${quote}${file}.js${quote}`
    })
    .replace(/[ \t]+$/gm, '')
  for (const [, , file = ''] of code.matchAll(ownTable)) named.push(join(dirname(path), file))
  return { code, named }
}

/** Every source that `from` need, by path, as JavaScript; tables as they are. */
export function program(from: readonly string[], read: (path: string) => string): Map<string, string> {
  const found = new Map<string, string>()
  const waiting = [...from]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue
    const text = read(path)
    const { code, named } = path.endsWith('.json') ? { code: text, named: [] } : toJavaScript(path, text)
    found.set(path, code)
    waiting.push(...named)
  }
  return found
}

/** Images are served as they are: the library that would shrink them is 18 MB. */
const isLeftOut = (path: string): boolean => /(^|\/)node_modules\/(@img|sharp)(\/|$)/.test(path)

/**
 * Writes the folder `dist` anew, with the screens for the path `basePath` of MISHAP_URL; returns how many files of the
 * program it holds. Throws when these screens are not built.
 */
function makeDist(dist: string, basePath = ''): number {
  const screens = join('src/web', screensFolder(basePath), 'standalone')
  if (!existsSync(join(root, screens))) throw new Error('the screens are not built: npm run build')
  rmSync(dist, { recursive: true, force: true })
  const files = program(entries, (path) => readFileSync(join(root, path), 'utf8'))
  for (const [path, code] of files) {
    const target = join(dist, path.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, code)
  }
  cpSync(join(root, screens), join(dist, screens), {
    recursive: true,
    filter: (source) => !isLeftOut(relative(root, source)),
  })
  const { name, version, dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  // the status page names the pinned parts; nothing is installed by them, as this file lies within the package
  const inner = { name, version, type: 'module', dependencies, devDependencies }
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(inner, null, 2)}\n`)
  return files.size
}

if (import.meta.main)
  console.log(`dist/ holds ${makeDist(join(root, 'dist'), process.argv[2])} files of the program, and the screens`)
