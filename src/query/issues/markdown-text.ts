/** Length of the longest run of backticks. A loop: a text can have 200,000 runs, and spread arguments fill the stack. */
function longestTicks(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}

/** Wraps text in a fence that no run of backticks in the text can close. */
export function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestTicks(text) + 1))
  return `${fence}text\n${text.replaceAll('\r', '')}\n${fence}`
}

/** Formats one line of code that its own backticks cannot end. */
export function inline(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim()
  if (plain === '') return '(empty)'
  const longest = longestTicks(plain)
  const tick = '`'.repeat(longest + 1)
  return longest ? `${tick} ${plain} ${tick}` : `${tick}${plain}${tick}`
}

/** Three digits, and all digits of a larger number: `toPrecision(3)` alone writes 1000 as 1.00e+3. */
const digits = (value: number): string => (Math.abs(value) >= 999.5 ? String(Math.round(value)) : value.toPrecision(3))

/** Formats a duration of microseconds: `1.50 ms`, `2.00 s`, `4500 s`. */
export const durationText = (us: number): string =>
  Math.abs(us) >= 999_500 ? `${digits(us / 1e6)} s` : `${digits(us / 1000)} ms`
