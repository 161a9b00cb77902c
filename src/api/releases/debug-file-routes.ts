import { z } from 'zod'
import type { Route } from '../route.ts'
import { route } from '../route.ts'
import * as shapes from './release-schemas.ts'

/** Files of one call. */
const filesMax = 10_000

const detail =
  'Mishap does not read debug files (dSYM, ELF, PDB, ProGuard, Dart) yet: this file was not stored. Source maps go by sourcemaps upload.'

/** Debug files of native programs, which are not read yet: each is refused with a sentence. */
export const debugFileRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/projects/:org/:project/files/difs/assemble',
    operationId: 'assembleDebugFiles',
    summary: 'Debug files are not read yet: every file is answered with the state error and a sentence.',
    action: 'release:write',
    body: z
      .record(z.string().regex(/^[0-9a-f]{40}$/i, 'A SHA-1 in 40 hex digits.'), z.looseObject({}))
      .refine((files) => Object.keys(files).length <= filesMax, `At most ${filesMax} files.`),
    response: shapes.debugFileAssembly,
    handle: ({ body }) => ({
      body: Object.fromEntries(
        Object.keys(body).map((sha1) => [sha1, { state: 'error' as const, missingChunks: [], detail }]),
      ),
    }),
  }),
]
