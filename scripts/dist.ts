/**
 * Writes dist/, which `npm pack` packs: the program as JavaScript and the built screens with their packages. Node does
 * not strip types inside node_modules. The folders have the same layout as the sources, so paths relative to a file
 * stay valid. Run `node scripts/dist.ts` after the screens are built.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { screensFolder } from '../src/base/config.ts'

const root = join(import.meta.dirname, '..')

/** Entry points: the command, and the files that processes and workers start with. */
const entries = [
  'src/processes/main.ts',
  'src/processes/app.ts',
  'src/processes/engine.ts',
  'src/refine/pipeline/worker.ts',
]

/** A quoted relative path of a source file, in imports and in the starts of workers and processes. */
const ownFile = /(['"])(\.{1,2}\/[\w./-]+)\.ts\1/g
/** An import of a JSON file, which is copied unchanged. */
const ownTable = /from (['"])(\.{1,2}\/[\w./-]+\.json)\1/g

/** Converts a source to JavaScript with the same line numbers. Also returns the paths of the sources that it names. */
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

/** All sources that `from` reach, by path, as JavaScript. JSON files are unchanged. */
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

/**
 * Rewrites the folder `dist`, with the screens for the path `basePath` of MISHAP_URL. Returns the number of program
 * files. Throws if these screens are not built.
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
  cpSync(join(root, screens), join(dist, screens), { recursive: true })
  const { name, version, dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  // The status page reads the pinned versions here. npm installs nothing from this inner file.
  const inner = { name, version, type: 'module', dependencies, devDependencies }
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(inner, null, 2)}\n`)
  return files.size
}

if (import.meta.main)
  console.log(`dist/ holds ${makeDist(join(root, 'dist'), process.argv[2])} files of the program, and the screens`)
