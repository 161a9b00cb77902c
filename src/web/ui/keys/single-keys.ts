const name = 'single-keys'

/** Whether this browser's person has switched off keys of one letter. */
export function singleKeysOff(): boolean {
  try {
    return localStorage.getItem(name) === 'off'
  } catch {
    // A browser that keeps nothing keeps no choice either.
    return false
  }
}

/** Keeps the choice in this browser. */
export function setSingleKeys(on: boolean): void {
  if (on) localStorage.removeItem(name)
  else localStorage.setItem(name, 'off')
}
