/** The comment at the top of a generated page. It names the file to change instead. */
export const made = (script: string) =>
  `<!-- Made by scripts/docs.ts from ${script}; change that file, then run node scripts/docs.ts. -->\n`

/** Escapes a text for a cell of a Markdown table. */
export const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** Formats a value as code. An empty value becomes the word "empty". */
export const code = (text: string) => (text === '' ? 'empty' : `\`${cell(text)}\``)

/** Formats a Markdown table from its head and rows. */
export function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
