import { join } from 'node:path/posix'
import { importsOf } from './imports.ts'
import { isProduct, type Law } from './law.ts'
import type { Source } from './tree.ts'

/** Files of src/web/app run on the server unless they start with 'use client'. Files of src/web/server always do. */
const isOnServer = ({ path, text }: Source): boolean =>
  path.startsWith('src/web/server/') ||
  (path.startsWith('src/web/app/') && !/^\s*(\/\*[\s\S]*?\*\/\s*|\/\/.*\n\s*)*['"]use client['"]/.test(text))

/** Code that a page can bundle for the browser: the client screens, and src/domain, which they import. */
const mayReachBrowser = (source: Source): boolean =>
  source.path.startsWith('src/domain/') || (source.path.startsWith('src/web/') && !isOnServer(source))

export const contract: Law = {
  name: 'contract',
  sentence:
    'code that may run in the browser imports src/contract as types only, and no zod: constants for it live in domain',
  find(source, report) {
    if (!isProduct(source.path) || !mayReachBrowser(source)) return
    for (const { from, at, typeOnly } of importsOf(source)) {
      if (typeOnly) continue
      if (from === 'zod' || from.startsWith('zod/')) report(at, 'zod in code that may run in the browser')
      if (from.startsWith('.') && join(source.path, '..', from).startsWith('src/contract/'))
        report(at, `${from}: import it as a type`)
    }
  },
}
