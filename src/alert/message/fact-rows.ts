import { type IssueFacts, line } from './message.ts'

const rowsMax = 3

/** Returns the facts of an issue as rows of a label and one line of text, for every kind of channel. */
export function factRows(facts: IssueFacts | undefined): [label: string, value: string][] {
  if (!facts) return []
  const { users, sourceLine, since, common = [], browserSide, advice } = facts
  const rows: [string, string][] = []
  if (users !== undefined && users > 0) rows.push(['Users', users === 1 ? '1 user' : `${users} users`])
  if (sourceLine) rows.push(['Line', `${line(sourceLine.file, 160)}:${sourceLine.line}`])
  if (since) rows.push(['Since', `release ${line(since.release, 80)}`])
  for (const { id, message, author } of since?.suspects.slice(0, rowsMax) ?? [])
    rows.push([
      'Suspect',
      line(`${id.slice(0, 8)} ${line(message, 100)}${author ? ` (${line(author, 60)})` : ''}`, 200),
    ])
  if (common.length > 0)
    rows.push([
      'In common',
      common
        .slice(0, rowsMax)
        .map(({ key, value, share }) => `${line(key, 40)} is ${line(value, 60)} (${Math.round(share * 100)}%)`)
        .join(', '),
    ])
  if (browserSide && browserSide.events > 0)
    rows.push([
      'In browsers',
      `${browserSide.events} ${browserSide.events === 1 ? 'error' : 'errors'} of ${browserSide.people} ${browserSide.people === 1 ? 'user' : 'users'}`,
    ])
  if (advice) rows.push(['What to do', line(advice, 300)])
  return rows
}
