/** Wraps text in a fence that no run of backticks in the text can close. */
export function fenced(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((match) => match.length))
  const fence = '`'.repeat(Math.max(3, longest + 1))
  return `${fence}text\n${text.replaceAll('\r', '')}\n${fence}`
}

/** Formats one line of code that its own backticks cannot end. */
export function inline(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim()
  if (plain === '') return '(empty)'
  const longest = Math.max(0, ...(plain.match(/`+/g) ?? []).map((match) => match.length))
  const tick = '`'.repeat(longest + 1)
  return longest ? `${tick} ${plain} ${tick}` : `${tick}${plain}${tick}`
}
