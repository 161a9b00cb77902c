/** The fragment of a link to an issue that opens its list of assignees. Without scripts it opens the issue only. */
export const assignHash = '#assign'
