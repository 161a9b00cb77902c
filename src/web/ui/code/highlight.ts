import type { LanguageFn } from 'highlight.js'
import { createLowlight } from 'lowlight'
import type { Language } from './languages.ts'
import { linesOf, type SyntaxNode, type Token } from './tokens.ts'

// Loaded on demand, after the first paint. The grammars are separate chunks of 0.4 to 3 KiB.

/**
 * Code beyond these limits stays plain. Grammars are regular expressions, and the code of an event is hostile: the worst
 * code within the limits takes 0.3 s (C#, `function function ...`).
 */
export const bounds = { characters: 6_000, lineCharacters: 300 }
/** After so much time in total, ms, all later code of the page stays plain: a chain of errors opens a frame of each. */
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

const isWithin = (text: string) =>
  text.length <= bounds.characters && text.split('\n').every((line) => line.length <= bounds.lineCharacters)

/** A highlighter with its own registered grammars and its own budget. */
export function createHighlighter(now: () => number) {
  const lowlight = createLowlight()
  let spentMs = 0
  async function register(language: Language): Promise<void> {
    if (lowlight.registered(language)) return
    const { default: grammar } = await grammars[language]()
    lowlight.register(language, grammar)
  }
  /** The tokens of each line of `text`. Undefined if the code is too long or the budget is spent: it stays plain. */
  return async (text: string, language: Language): Promise<Token[][] | undefined> => {
    if (!isWithin(text)) return undefined
    const needed = inner[language]
    await Promise.all([register(language), needed && register(needed)])
    if (spentMs > budgetMs) return undefined
    const began = now()
    const { children } = lowlight.highlight(language, text, { prefix: '' })
    spentMs += now() - began
    return linesOf(children as SyntaxNode[])
  }
}

/** The highlighter of the page. */
export const highlight = createHighlighter(() => performance.now())
