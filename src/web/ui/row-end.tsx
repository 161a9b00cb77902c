/**
 * The end of a row of controls. A browser may paint while it has read half of a row, and controls on the right move when
 * the others come. Styles keep a row without its end invisible.
 */
export const RowEnd = () => <span className="row-end" hidden />
