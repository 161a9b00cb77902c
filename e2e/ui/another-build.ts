// Makes another build of the product, like a new deployment under a tab that is already open.
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../product.ts'

const web = 'src/web'
/** The folder of the screens that a start needs, and the output of Next in it. */
const screens = join(web, '.next/standalone')
const output = join(screens, web, '.next')

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))

/** Names that a build generates: its build id, and the names of its chunks and server actions. */
function namesIn(built: string): string[] {
  const read = (file: string) => readFileSync(join(built, file), 'utf8')
  const actions = JSON.parse(read('server/server-reference-manifest.json')) as { node: object }
  return [read('BUILD_ID'), ...readdirSync(join(built, 'static/chunks')), ...Object.keys(actions.node)]
}

/** A different name of the same length and with the same characters. */
const another = (name: string): string => name.replace(/.(?=\.|$)/, (last) => (last === '0' ? '1' : '0'))

/**
 * Copies sources and built screens to `folder`, which must be inside this checkout because they use its packages. The
 * build, each chunk and each server action get another name, like a build of changed sources, but without its time.
 */
export function makeAnotherBuild(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  const built = join(root, web, '.next')
  // Leave out tests: the test runner must not find copies that an interrupted run left behind.
  const isNeeded = (from: string) => !from.startsWith(built) && !/\.test\.tsx?$/.test(from)
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true, filter: isNeeded })
  cpSync(join(root, screens), join(folder, screens), { recursive: true, verbatimSymlinks: true })
  const names = namesIn(join(folder, output))
  const pattern = new RegExp(names.map((name) => name.replaceAll('.', '\\.')).join('|'), 'g')
  for (const file of filesIn(join(folder, output))) {
    const text = readFileSync(file, 'utf8')
    const changed = text.replace(pattern, another)
    if (changed !== text) writeFileSync(file, changed)
  }
  const statics = join(folder, output, 'static')
  for (const file of [...filesIn(join(statics, 'chunks')), join(statics, names[0] ?? '')])
    renameSync(file, join(dirname(file), another(file.slice(dirname(file).length + 1))))
}
