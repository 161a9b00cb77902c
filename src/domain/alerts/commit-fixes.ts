/** Maximum issues in one message. A squashed merge names some dozens. */
const issuesMax = 50

const keyword = /(?<![\w-])(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?)(?::[ \t]*|[ \t]+)/gi
/** One short id and its separator from the next one: a comma, "and", or both. */
const shortId = /#?([a-z0-9][\w-]{0,60}-\d{1,15})(?![\w-])(?:[ \t]*,[ \t]*(?:and[ \t]+)?|[ \t]+(?:and|&)[ \t]+)?/iy

/**
 * Returns the short ids of issues that a commit message fixes: upper case, no duplicates, at most 50. The syntax is a
 * keyword (fix, fixes, fixed, close, closes, closed, resolve, resolves or resolved in any case), a colon or a blank,
 * and a list of short ids: "fixes SHOP-WEB-3, SHOP-WEB-4 and SHOP-API-1".
 */
export function fixedIssues(message: string): string[] {
  const found = new Set<string>()
  for (const word of message.matchAll(keyword)) {
    shortId.lastIndex = word.index + word[0].length
    for (let id = shortId.exec(message); id && found.size < issuesMax; id = shortId.exec(message))
      if (id[1] !== undefined) found.add(id[1].toUpperCase())
  }
  return [...found]
}
