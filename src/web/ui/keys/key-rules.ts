export type Binding = { keys: string; group: string; label: string; run: (event: KeyboardEvent) => void }

const modifiers = /^(?:Shift|Control|Alt|Meta|\$mod)\+/

/** The ways to press one binding: a character such as ? or / needs Shift on some keyboard layouts only. */
export function spellings(keys: string): string[] {
  const press = keys.split(' ')
  if (press.length !== 1 || modifiers.test(keys) || /^[a-z0-9]$/i.test(keys) || keys.length > 1) return [keys]
  return [keys, `Shift+${keys}`]
}

/** Keys that move between rows. They may repeat while held. */
const steps = /^(?:Shift\+)?(?:[jk]|Arrow(?:Up|Down))$/

/**
 * The table for tinykeys. The newer of two bindings of one key wins. Other held keys act once only: the next issue
 * takes the place of the last row, so a held m or e would merge or resolve one issue after the other.
 */
export function bindingMap(bindings: readonly Binding[]): Record<string, (event: KeyboardEvent) => void> {
  const map: Record<string, (event: KeyboardEvent) => void> = {}
  for (const { keys, run } of bindings) {
    for (const spelling of spellings(keys)) {
      map[spelling] = (event) => {
        event.preventDefault()
        if (!event.repeat || steps.test(keys)) run(event)
      }
    }
  }
  return map
}

/**
 * The two-key binding that `key` completes after `first`; the newest wins. Check it before single keys, so that `g i`
 * does not also run `i`.
 */
export const secondOf = (bindings: readonly Binding[], first: string, key: string): Binding | undefined =>
  bindings.findLast((binding) => binding.keys === `${first} ${key}`)

/** Whether a binding is or begins with a single character. Such keys can be switched off (WCAG 2.1.4). */
export const isSingle = (keys: string): boolean =>
  !modifiers.test(keys.replace(/^Shift\+/, '')) && /^(?:Shift\+)?[^\s]( |$)/.test(keys)

const textTypes = new Set(['checkbox', 'radio', 'button', 'submit', 'reset', 'range', 'color', 'file'])

/** Whether a key press belongs to an input or editor. Escape never does. */
export function isTyping(target: unknown, key: string): boolean {
  if (key === 'Escape' || !target || typeof target !== 'object') return false
  const element = target as { tagName?: string; type?: string; isContentEditable?: boolean }
  if (element.isContentEditable) return true
  if (element.tagName === 'TEXTAREA' || element.tagName === 'SELECT') return true
  return element.tagName === 'INPUT' && !textTypes.has(element.type ?? 'text')
}

const names: Record<string, string> = {
  $mod: 'Ctrl',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  ' ': 'Space',
  Space: 'Space',
}

/** The keys of a binding for display: 'g i' gives g and i, 'Shift+j' gives Shift+j. */
export function shownKeys(keys: string): string[] {
  return keys.split(' ').map((press) =>
    press
      .split(/\+(?!$)/)
      .map((part) => names[part] ?? part)
      .join('+'),
  )
}

/** An action with all its keys, for the help. */
type HelpRow = { label: string; ways: string[][] }

/**
 * Bindings by heading, in order of first appearance. Of two bindings of one key only the newer is listed. Bindings with
 * the same label share a row.
 */
export function groupedBindings(bindings: readonly Binding[]): { group: string; rows: HelpRow[] }[] {
  const newest = new Map(bindings.map((binding) => [binding.keys, binding]))
  const groups = new Map<string, Map<string, HelpRow>>()
  for (const { keys, group, label } of newest.values()) {
    const rows = groups.get(group) ?? new Map<string, HelpRow>()
    groups.set(group, rows)
    const row = rows.get(label) ?? { label, ways: [] }
    rows.set(label, row)
    row.ways.push(shownKeys(keys))
  }
  return [...groups].map(([group, rows]) => ({ group, rows: [...rows.values()] }))
}
