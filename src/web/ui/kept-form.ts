'use client'
import { type RefObject, useEffect } from 'react'
import { systemClock } from '../../base/clock.ts'

const keyOf = (name: string) => `kept:${location.pathname}:${name}`

type Kept = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

const isKept = (element: unknown): element is Kept =>
  (element instanceof HTMLInputElement && !['password', 'hidden', 'file', 'submit'].includes(element.type)) ||
  element instanceof HTMLTextAreaElement ||
  element instanceof HTMLSelectElement

const isBox = (control: Kept): control is HTMLInputElement =>
  control instanceof HTMLInputElement && control.type === 'checkbox'

/** A checkbox is on or off. Its value attribute does not matter. */
const typedIn = (control: Kept): string => (isBox(control) ? (control.checked ? 'on' : '') : control.value)

/** Whether a person changed it before the scripts ran. Such a change is newer than any stored value. */
const isEarly = (control: Kept) => window.mishap?.early?.has(control) === true

/** React adds its properties to each hydrated element. Streamed parts hydrate later. */
const isTakenOver = (control: Kept) => Object.keys(control).some((key) => key.startsWith('__reactProps$'))

const lookMs = 50

/**
 * Sends input events for changes that a person made before the scripts ran. Restores the value of a select, because
 * React resets controlled selects when it renders them. Retries elements that are not hydrated yet for ten seconds.
 */
export function tellEarly(changed = new Map(window.mishap?.early), looks = 200): void {
  for (const [control, value] of changed) {
    if (isKept(control) && control.isConnected && !isTakenOver(control)) continue
    changed.delete(control)
    if (!isKept(control) || !control.isConnected) continue
    if (control instanceof HTMLSelectElement) putBack(control, value)
    control.dispatchEvent(new Event('input', { bubbles: true }))
  }
  if (changed.size > 0 && looks > 0) systemClock.after(lookMs, () => tellEarly(changed, looks - 1))
}

/** Maximum characters per field. The longest field, ownership rules, takes 50,000. */
const charactersMax = 100_000

type Values = Record<string, unknown>
const keptOf = (name: string) => JSON.parse(sessionStorage.getItem(keyOf(name)) ?? '{}') as Values

/** The revision that a form was rendered for, if it has one. */
function revisionIn(form: HTMLFormElement): string | undefined {
  const control = form.elements.namedItem('revision')
  return control instanceof HTMLInputElement ? control.value : undefined
}

/** Restores a stored value like typed text: React reacts only to the event, not to a plain assignment. */
function putBack(control: Kept, value: string): void {
  if (isBox(control)) {
    control.checked = value === 'on'
    return
  }
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value')?.set?.call(control, value)
  control.dispatchEvent(new Event(control instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }))
}

/**
 * Stores the typed values of the form (never passwords) for this tab, and restores them after a reload. `forgetKept`
 * deletes them.
 */
export function useKeptForm(form: RefObject<HTMLFormElement | null>, name: string): void {
  useEffect(() => {
    const element = form.current
    if (!element) return
    for (const [field, value] of Object.entries(keptOf(name))) {
      const control = element.elements.namedItem(field)
      if (!isKept(control) || typeof value !== 'string' || isEarly(control)) continue
      putBack(control, value)
    }
    const keep = (event: Event) => {
      if (!isKept(event.target) || !event.target.name) return
      const value = typedIn(event.target).slice(0, charactersMax)
      // The revision at the first typed character stays, whatever revision the page has later.
      const begun = { revision: revisionIn(element) }
      sessionStorage.setItem(keyOf(name), JSON.stringify({ ...begun, ...keptOf(name), [event.target.name]: value }))
    }
    element.addEventListener('input', keep)
    return () => element.removeEventListener('input', keep)
  }, [form, name])
}

/** The revision at which the stored values of a form were begun. Undefined without stored values or revision. */
export function keptRevision(name: string): string | undefined {
  const { revision } = keptOf(name)
  return typeof revision === 'string' ? revision : undefined
}

/** Deletes the stored values after a successful submit. */
export function forgetKept(name: string): void {
  sessionStorage.removeItem(keyOf(name))
}
