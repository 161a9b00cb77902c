export type Binding = { keys: string; group: string; label: string; run: (event: KeyboardEvent) => void }

const modifiers = /^(?:Shift|Control|Alt|Meta|\$mod)\+/

/** The ways to press one binding: a sign such as ? or / stands behind Shift on some layouts and not on others. */
export function spellings(keys: string): string[] {
  const press = keys.split(' ')
  if (press.length !== 1 || modifiers.test(keys) || /^[a-z0-9]$/i.test(keys) || keys.length > 1) return [keys]
  return [keys, `Shift+${keys}`]
}

/** Keys that go from row to row: those may be held. */
const steps = /^(?:Shift\+)?(?:[jk]|Arrow(?:Up|Down))$/

/**
 * The table that tinykeys reads; of two bindings of one key the newer wins. A key that is held acts once, as the next issue
 * stands where the last one stood: m would merge and e resolve one after the other.
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
 * The binding of two presses that `key` ends after `first`; the newest, as for single keys. Asked before these, so that
 * `g i` goes somewhere and does not do what `i` does, too.
 */
export const secondOf = (bindings: readonly Binding[], first: string, key: string): Binding | undefined =>
  bindings.findLast((binding) => binding.keys === `${first} ${key}`)

/** Whether a binding is a letter or sign alone, or begins with one: such keys can be switched off (WCAG 2.1.4). */
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

/** The keys of a binding as caps to show: 'g i' gives g and i, 'Shift+j' gives Shift+j. */
export function shownKeys(keys: string): string[] {
  return keys.split(' ').map((press) =>
    press
      .split(/\+(?!$)/)
      .map((part) => names[part] ?? part)
      .join('+'),
  )
}

/** What can be done by keys, with each way to press it as caps. */
export type HelpRow = { label: string; ways: string[][] }

/**
 * Bindings under their headings, in order of first appearance; of two bindings of one key the newer is shown, and what two
 * keys do stands there once.
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
