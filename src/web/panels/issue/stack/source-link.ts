import type { RestEvent, RestFrame } from '../../../../contract/events.ts'
import type { StoredEditor } from '../../../client/editor.ts'
import { safeHref } from '../../../text.ts'

// Links of a frame to its source: in the repository, and in an editor on the person's computer.

/** An editor that opens a file by a URL of its own scheme. */
type Editor = { id: string; name: string; hrefOf(file: string, line: number): string }

// Schemes as documented by each editor.
const atLine = (scheme: string) => (file: string, line: number) => `${scheme}://file${file}:${line}`
const asQuery = (scheme: string) => (file: string, line: number) => `${scheme}://open?file=${file}&line=${line}`

export const editors: readonly Editor[] = [
  { id: 'vscode', name: 'Visual Studio Code', hrefOf: atLine('vscode') },
  { id: 'cursor', name: 'Cursor', hrefOf: atLine('cursor') },
  { id: 'zed', name: 'Zed', hrefOf: atLine('zed') },
  { id: 'vscodium', name: 'VSCodium', hrefOf: atLine('vscodium') },
  { id: 'idea', name: 'IntelliJ IDEA', hrefOf: asQuery('idea') },
  { id: 'webstorm', name: 'WebStorm', hrefOf: asQuery('webstorm') },
  { id: 'pycharm', name: 'PyCharm', hrefOf: asQuery('pycharm') },
  { id: 'phpstorm', name: 'PhpStorm', hrefOf: asQuery('phpstorm') },
]

/** Whether a folder can be part of a link: an absolute path of Unix or Windows without `..`. */
export const isFolder = (folder: string): boolean =>
  /^(\/|[A-Za-z]:[\\/])/.test(folder) && folder.length <= 400 && !folder.split(/[\\/]/).includes('..')

/**
 * The path of a frame's file from the root of its repository: without the scheme and the project name of a bundler, and
 * without `./`. Undefined for libraries, minified files, absolute paths, and paths that leave the root: nobody knows
 * where those are in a repository.
 */
export function sourcePathOf(frame: Pick<RestFrame, 'filename' | 'inApp'>): string | undefined {
  const { filename, inApp } = frame
  if (!inApp || !filename || filename.length > 500) return undefined
  const path = filename
    .replace(/^(webpack|webpack-internal|turbopack|app|file):\/\/(\/\[project\]|[^/]*)\//, '')
    .replace(/\?.*$/, '')
    .replace(/^(\.{1,2}\/)+/, '')
  const parts = path.split('/')
  const isPlain = parts.every((part) => part !== '' && part !== '..' && part !== 'node_modules')
  // A name with a colon is a scheme or a drive; one without an extension is `<anonymous>`, `native code` or a module.
  return isPlain && !/[:<>\\\p{C}]/u.test(path) && /\.\w{1,10}$/.test(path) ? path : undefined
}

const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/')

/** The path of a file at a commit on a host. Other hosts read GitHub's form, or redirect it. */
function fileAt(host: string, commit: string, path: string, line: number): string {
  if (/(^|\.)gitlab\./.test(host)) return `/-/blob/${commit}/${path}#L${line}`
  if (/(^|\.)bitbucket\./.test(host)) return `/src/${commit}/${path}#lines-${line}`
  if (/(^|\.)(gitea|forgejo|codeberg)\./.test(host)) return `/src/commit/${commit}/${path}#L${line}`
  return `/blob/${commit}/${path}#L${line}`
}

type Mappings = RestEvent['codeMappings']
/** A commit, or the name of a branch that cannot leave its place in an address. */
const isRef = (ref: string) => /^(?!-)(?!.*\.\.)[\w./+-]{1,200}$/.test(ref)

/** The URL of a frame's line by the first code mapping that fits its path. Undefined if none fits. */
export function mappedHref(mappings: Mappings, frame: RestFrame): string | undefined {
  const { filename, absPath, lineNo } = frame
  if (!mappings || lineNo === null || frame.inApp === false) return undefined
  for (const { stackRoot, sourceRoot, url, ref } of mappings) {
    const file = [filename, absPath].find((path) => path?.startsWith(stackRoot) && path.length <= 500)
    const address = safeHref(url)
    if (!file || !address?.startsWith('http') || !isRef(ref)) continue
    const path = `${sourceRoot}${file.slice(stackRoot.length).replace(/\?.*$/, '')}`.replace(/^(\.?\/)+/, '')
    const parts = path.split('/')
    if (parts.some((part) => part === '' || part === '..' || part === '.') || /[<>\\\p{C}]/u.test(path)) continue
    return `${address.replace(/(\.git)?\/*$/, '')}${fileAt(new URL(address).host, encoded(ref), encoded(path), lineNo)}`
  }
  return undefined
}

/** The URL of a frame's line in the repository. Undefined without a safe http(s) address, a commit, a path or a line. */
export function repositoryHref(repository: RestEvent['repository'], frame: RestFrame): string | undefined {
  const path = sourcePathOf(frame)
  const url = safeHref(repository?.url)
  if (!repository || !url?.startsWith('http') || !path || frame.lineNo === null) return undefined
  if (!/^[0-9a-f]{7,64}$/i.test(repository.commit)) return undefined
  const { host } = new URL(url)
  return `${url.replace(/(\.git)?\/*$/, '')}${fileAt(host, repository.commit, encoded(path), frame.lineNo)}`
}

/** The URL that opens a frame's line in the chosen editor. Undefined without an editor, a folder, a path or a line. */
export function editorHref(choice: StoredEditor | undefined, project: string, frame: RestFrame): string | undefined {
  const path = sourcePathOf(frame)
  const editor = editors.find(({ id }) => id === choice?.editor)
  if (!choice || !editor || !path || frame.lineNo === null || !isFolder(choice.folder)) return undefined
  const folder = choice.folder.replaceAll('\\', '/').replaceAll('{project}', project).replace(/\/+$/, '')
  const file = encoded(`${folder.replace(/^\/?/, '/')}/${path}`).replace(/^(\/[A-Za-z])%3A/, '$1:')
  return editor.hrefOf(file, frame.lineNo)
}
