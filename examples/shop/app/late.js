/** A part of the page that is loaded when it is needed. */
export const late = () => 'here at last'
globalThis.late = late
