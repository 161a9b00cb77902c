/** Planted fault: a failed route load. */
export default async function Export() {
  throw new RangeError('the export has no columns')
}
