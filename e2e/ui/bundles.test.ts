// Checks which code pages send to the browser, in the build that the suite's product serves.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../product.ts'

const built = join(root, 'src/web/.next/standalone/src/web/.next')

/** Paths of the scripts in `folder` whose text contains `word`. */
function scriptsWith(word: string, folder: string): string[] {
  return (
    readdirSync(join(built, folder), { recursive: true, encoding: 'utf8' })
      // Folders of packages can end with .js, too.
      .filter((path) => path.endsWith('.js') && statSync(join(built, folder, path)).isFile())
      .filter((path) => readFileSync(join(built, folder, path), 'utf8').includes(word))
  )
}

// With the schemas of src/contract, zod is 125 kB of script (36 kB compressed). The screens need only the types.
test('zod is in the scripts of the server and in none of the browser', () => {
  expect(scriptsWith('hydrateRoot', 'static')).not.toEqual([])
  expect(scriptsWith('ZodError', 'server')).not.toEqual([])
  expect(scriptsWith('ZodError', 'static')).toEqual([])
})
