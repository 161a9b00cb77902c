const colours = ['--c1', '--c2', '--c3', '--c4', '--c6', '--c7', '--c8'] as const

/** Two letters for a name: "Ada Lovelace" gives AL, "ada@example.com" AD. Empty names give "?". */
export function initialsOf(name: string): string {
  const words = name
    .replace(/@.*$/, '')
    .split(/[\s._-]+/)
    .filter(Boolean)
  const [first, second] = words
  if (!first) return '?'
  const letters = second ? [...first].slice(0, 1).concat([...second].slice(0, 1)) : [...first].slice(0, 2)
  return letters.join('').toUpperCase()
}

function colourOf(name: string): string {
  let sum = 0
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973
  return colours[sum % colours.length] ?? '--c7'
}

type AvatarProps = {
  /** The name of the person or team. Undefined: nobody. */
  name: string | undefined
  /** The product suggests this person. Nobody has accepted it yet. */
  isSuggested?: boolean
}

/** A person as initials in a circle of 20 px: filled = assigned, dashed = suggested, empty = nobody. Has no label. */
export function Avatar({ name, isSuggested = false }: AvatarProps) {
  if (name === undefined) return <span aria-hidden="true" className="avatar" data-kind="none" />
  if (isSuggested)
    return (
      <span aria-hidden="true" className="avatar" data-kind="suggested">
        {initialsOf(name)}
      </span>
    )
  const style = { background: `color-mix(in oklab, var(${colourOf(name)}) 26%, var(--surface))` }
  return (
    <span aria-hidden="true" className="avatar" style={style}>
      {initialsOf(name)}
    </span>
  )
}
