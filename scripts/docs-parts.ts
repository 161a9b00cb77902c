/** The comment at the top of a generated page: which file to change instead. */
export const made = (script: string) =>
  `<!-- Made by scripts/docs.ts from ${script}; change that file, then run node scripts/docs.ts. -->\n`

/** A text as the cell of a Markdown table. */
export const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** A value as code; an empty value is called empty. */
export const code = (text: string) => (text === '' ? 'empty' : `\`${cell(text)}\``)

/** A Markdown table: the head, then one line for each row. */
export function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
