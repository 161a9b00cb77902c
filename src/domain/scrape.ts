/** Placeholder for a stored token, which is never shown. Sending it back changes nothing. */
export const maskedToken = '********'

/** A header token: printable, without spaces; '' for none. */
export const tokenForm = /^[\x21-\x7e]{0,200}$/
