import { debugFilesBody, restDebugFileAssembly } from '../../contract/uploads.ts'
import type { Route } from '../route.ts'
import { route } from '../route.ts'

const detail =
  'Mishap does not support debug files (dSYM, ELF, PDB, ProGuard, Dart) yet, so it did not store this file. Upload source maps with sourcemaps upload.'

/** Debug files of native programs are not supported yet: each upload is refused with a sentence. */
export const debugFileRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/projects/:org/:project/files/difs/assemble',
    operationId: 'assembleDebugFiles',
    summary: 'Debug files are not supported yet: every file gets the state error and a sentence.',
    action: 'release:write',
    body: debugFilesBody,
    response: restDebugFileAssembly,
    handle: ({ body }) => ({
      body: Object.fromEntries(
        Object.keys(body).map((sha1) => [sha1, { state: 'error' as const, missingChunks: [], detail }]),
      ),
    }),
  }),
]
