/** Stands for a token that is kept: it is never shown, and sent back it changes nothing. */
export const keptToken = '********'

/** A token of a header: printable, without a space; '' for none. */
export const tokenForm = /^[\x21-\x7e]{0,200}$/
