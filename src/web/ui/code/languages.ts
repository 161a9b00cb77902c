/** Languages that have a grammar. */
export type Language =
  | 'bash'
  | 'csharp'
  | 'go'
  | 'java'
  | 'javascript'
  | 'json'
  | 'kotlin'
  | 'php'
  | 'python'
  | 'ruby'
  | 'rust'
  | 'sql'
  | 'typescript'
  | 'xml'

const byExtension: Readonly<Record<string, Language>> = {
  bash: 'bash',
  sh: 'bash',
  cs: 'csharp',
  go: 'go',
  java: 'java',
  js: 'javascript',
  cjs: 'javascript',
  mjs: 'javascript',
  jsx: 'javascript',
  json: 'json',
  kt: 'kotlin',
  kts: 'kotlin',
  php: 'php',
  py: 'python',
  pyi: 'python',
  rb: 'ruby',
  rs: 'rust',
  sql: 'sql',
  ts: 'typescript',
  tsx: 'typescript',
  cts: 'typescript',
  mts: 'typescript',
  vue: 'xml',
  html: 'xml',
  xml: 'xml',
}

const byPlatform: Readonly<Record<string, Language>> = {
  csharp: 'csharp',
  go: 'go',
  java: 'java',
  javascript: 'javascript',
  kotlin: 'kotlin',
  node: 'javascript',
  php: 'php',
  python: 'python',
  ruby: 'ruby',
  rust: 'rust',
}

/** A longer ending is no extension of a source file. */
const extensionMax = 5

/** The language of a file: by its extension, else by the platform of its event. Undefined if neither is known. */
export function languageOf(filename: string | null, platform: string | null): Language | undefined {
  const name = (filename ?? '').slice(-300).replace(/[?#].*$/, '')
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  const known = extension.length <= extensionMax && Object.hasOwn(byExtension, extension)
  if (known) return byExtension[extension]
  return platform !== null && Object.hasOwn(byPlatform, platform) ? byPlatform[platform] : undefined
}
