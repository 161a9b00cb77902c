/** The key of a button, in its text. The title of the button names it for screen readers. */
export function KeyHint({ name }: { name: string }) {
  return (
    <span aria-hidden="true" className="key-hint">
      {name}
    </span>
  )
}
