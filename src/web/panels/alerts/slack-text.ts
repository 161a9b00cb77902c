/** A piece of a text of Slack. `isLink`: it is the label of a link. */
type SlackPiece = { text: string; isLink: boolean; isStrong: boolean }

const escapes: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }
/** Our messages split mentions with a space without width, which nobody sees in Slack. */
const plain = (text: string): string =>
  text.replace(/&(?:lt|gt|amp);/g, (found) => escapes[found] ?? found).replaceAll('\u200b', '')

/**
 * Splits the mrkdwn of our own messages: links are `<address|label>`, a headline is a link in asterisks, and everything
 * else is escaped text. Nothing else is interpreted, so the text of an event stays text.
 */
export function slackPieces(text: string): SlackPiece[] {
  const isStrong = text.length > 2 && text.startsWith('*<') && text.endsWith('>*')
  return (isStrong ? text.slice(1, -1) : text)
    .split(/(<[^<>|]*\|[^<>]*>)/)
    .filter((piece) => piece !== '')
    .map((piece) => {
      const isLink = piece.startsWith('<') && piece.includes('|')
      return { text: plain(isLink ? piece.slice(piece.indexOf('|') + 1, -1) : piece), isLink, isStrong }
    })
}
