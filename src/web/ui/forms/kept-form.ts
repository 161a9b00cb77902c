'use client'
import { type RefObject, useEffect } from 'react'
import { systemClock } from '../../../base/clock.ts'

const keyOf = (name: string) => `kept:${location.pathname}:${name}`

type FormControl = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

const isFormControl = (element: unknown): element is FormControl =>
  (element instanceof HTMLInputElement && !['password', 'hidden', 'file', 'submit'].includes(element.type)) ||
  element instanceof HTMLTextAreaElement ||
  element instanceof HTMLSelectElement

const isBox = (control: FormControl): control is HTMLInputElement =>
  control instanceof HTMLInputElement && control.type === 'checkbox'

/** A checkbox is on or off. Its value attribute does not matter. */
const typedIn = (control: FormControl): string => (isBox(control) ? (control.checked ? 'on' : '') : control.value)

/** Whether a person changed it before the scripts ran. Such a change is newer than any stored value. */
const isEarly = (control: FormControl) => window.mishap?.early?.has(control) === true

/** React adds its properties to each hydrated element. Streamed parts hydrate later. */
const isHydrated = (control: FormControl) => Object.keys(control).some((key) => key.startsWith('__reactProps$'))

const pollMs = 50

/**
 * Sends input events for changes that a person made before the scripts ran. Restores the value of a select, because
 * React resets controlled selects when it renders them. Retries elements that are not hydrated yet for ten seconds.
 */
export function replayEarlyInput(changed = new Map(window.mishap?.early), triesLeft = 200): void {
  for (const [control, value] of changed) {
    if (isFormControl(control) && control.isConnected && !isHydrated(control)) continue
    changed.delete(control)
    if (!isFormControl(control) || !control.isConnected) continue
    if (control instanceof HTMLSelectElement) restoreValue(control, value)
    control.dispatchEvent(new Event('input', { bubbles: true }))
  }
  if (changed.size > 0 && triesLeft > 0) systemClock.after(pollMs, () => replayEarlyInput(changed, triesLeft - 1))
}

/** Maximum characters per field. The longest field, ownership rules, takes 50,000. */
const charactersMax = 100_000

type Values = Record<string, unknown>
const draftOf = (name: string) => JSON.parse(sessionStorage.getItem(keyOf(name)) ?? '{}') as Values

/** The revision that a form was rendered for, if it has a revision. */
function revisionIn(form: HTMLFormElement): string | undefined {
  const control = form.elements.namedItem('revision')
  return control instanceof HTMLInputElement ? control.value : undefined
}

/** Restores a stored value like typed text: React reacts only to the event, not to a plain assignment. */
function restoreValue(control: FormControl, value: string): void {
  if (isBox(control)) {
    control.checked = value === 'on'
    return
  }
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value')?.set?.call(control, value)
  control.dispatchEvent(new Event(control instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }))
}

/**
 * Stores the typed values of the form (never passwords) for this tab, and restores them after a reload. `clearDraft`
 * deletes them.
 */
export function useFormDraft(form: RefObject<HTMLFormElement | null>, name: string): void {
  useEffect(() => {
    const element = form.current
    if (!element) return
    for (const [field, value] of Object.entries(draftOf(name))) {
      const control = element.elements.namedItem(field)
      if (!isFormControl(control) || typeof value !== 'string' || isEarly(control)) continue
      restoreValue(control, value)
    }
    const saveDraft = (event: Event) => {
      if (!isFormControl(event.target) || !event.target.name) return
      const value = typedIn(event.target).slice(0, charactersMax)
      // The revision at the first typed character stays, whatever revision the page has later.
      const initial = { revision: revisionIn(element) }
      sessionStorage.setItem(keyOf(name), JSON.stringify({ ...initial, ...draftOf(name), [event.target.name]: value }))
    }
    element.addEventListener('input', saveDraft)
    return () => element.removeEventListener('input', saveDraft)
  }, [form, name])
}

/** The revision at which the stored values of a form were begun. Undefined without stored values or revision. */
export function draftRevision(name: string): string | undefined {
  const { revision } = draftOf(name)
  return typeof revision === 'string' ? revision : undefined
}

/** Deletes the stored values after a successful submit. */
export function clearDraft(name: string): void {
  sessionStorage.removeItem(keyOf(name))
}
