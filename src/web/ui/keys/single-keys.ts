const name = 'single-keys'

/** Whether the person has switched off single keys in this browser. */
export function singleKeysOff(): boolean {
  try {
    return localStorage.getItem(name) === 'off'
  } catch {
    // A browser without storage stores no choice either.
    return false
  }
}

/** Stores the choice in this browser. */
export function setSingleKeys(on: boolean): void {
  if (on) localStorage.removeItem(name)
  else localStorage.setItem(name, 'off')
}
