/** First characters that a spreadsheet takes for a formula, full-width forms included. */
const formula = /^[=+\-@\t\r＝＋－＠]/u

/** A value as a cell of a CSV file. A cell that a spreadsheet would run as a formula gets an apostrophe in front. */
export function csvCell(value: string): string {
  const text = (formula.test(value) ? `'${value}` : value).replaceAll('\0', '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A line of a CSV file (RFC 4180). */
export const csvLine = (values: readonly string[]): string => `${values.map(csvCell).join(',')}\r\n`
