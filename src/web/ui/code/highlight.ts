import type { LanguageFn } from 'highlight.js'
import { createLowlight } from 'lowlight'
import type { Language } from './languages.ts'
import { linesOf, type SyntaxNode, type Token } from './tokens.ts'

// Loaded on demand, after the first paint. The grammars are separate chunks of 0.4 to 3 KiB.

/** Code beyond these limits stays plain: a grammar has regular expressions, and the code of an event is hostile. */
export const bounds = { characters: 20_000, lineCharacters: 500 }
/** A language that took longer than this in total stays plain until the page is loaded again, ms. */
const budgetMs = 250

const grammars: Readonly<Record<Language, () => Promise<{ default: LanguageFn }>>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  go: () => import('highlight.js/lib/languages/go'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  php: () => import('highlight.js/lib/languages/php'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
}

/** Grammars that contain another: tags in JSX, HTML around PHP. */
const inner: Partial<Record<Language, Language>> = { javascript: 'xml', typescript: 'xml', php: 'xml' }

const lowlight = createLowlight()
const spentMs = new Map<Language, number>()

async function register(language: Language): Promise<void> {
  if (lowlight.registered(language)) return
  const { default: grammar } = await grammars[language]()
  lowlight.register(language, grammar)
}

const isWithin = (text: string) =>
  text.length <= bounds.characters && text.split('\n').every((line) => line.length <= bounds.lineCharacters)

/** The tokens of each line of `text`. Undefined if the code is too long or its language too slow: it stays plain. */
export async function highlight(text: string, language: Language): Promise<Token[][] | undefined> {
  if (!isWithin(text)) return undefined
  const needed = inner[language]
  await Promise.all([register(language), needed && register(needed)])
  const spent = spentMs.get(language) ?? 0
  if (spent > budgetMs) return undefined
  const began = performance.now()
  const tree = lowlight.highlight(language, text, { prefix: '' })
  spentMs.set(language, spent + performance.now() - began)
  return linesOf(tree.children as SyntaxNode[])
}
