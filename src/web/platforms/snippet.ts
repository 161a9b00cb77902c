/**
 * A file or command to add to an application. `where` is a file name, `shell` or `environment`. The code may hold
 * `__DSN__`, `__URL__`, `__ORG__` and `__PROJECT__`, which the set-up screen replaces.
 */
export type SnippetPart = { where: string; code: string }

/**
 * What makes stacks readable. `source-maps`: the build uploads them. `release`: the stack is readable as it is, and
 * only the release needs a name. `native`: Mishap shows addresses and shortened names as the device sent them.
 */
type Readable = 'source-maps' | 'release' | 'native'

/** The set-up of one platform. Package, file and option names come from the documentation of its SDK. */
export type PlatformSetup = {
  /** The id of the platform, of src/web/platforms.ts. */
  id: string
  /** Adds the SDK. */
  install: SnippetPart
  /** Files that configure the SDK. Each name occurs once. */
  files: readonly SnippetPart[]
  readable: Readable
  /** Names the release and uploads what `readable` needs. */
  release: readonly SnippetPart[]
  /** Throws an error that nobody catches, or captures an error. */
  test: SnippetPart
}

/** The test error. Its text is the title of the first issue. */
export const firstError = 'First error for Mishap'
