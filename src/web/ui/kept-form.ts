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

/** Whether a person changed it before the page's scripts ran: that is later than anything that was kept. */
const isEarly = (control: Kept) => window.mishap?.early?.has(control) === true

/** React notes its properties on each element that it has taken over; parts that stream in it takes over later. */
const isTakenOver = (control: Kept) => Object.keys(control).some((key) => key.startsWith('__reactProps$'))

const lookMs = 50

/**
 * Tells the page of what a person did before its scripts ran: nobody was there to hear it, and a select that React holds itself
 * is back at its old choice as soon as React renders it. What React has not taken over yet is looked at again for ten seconds.
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

/** Characters of one field: as many as the longest of them takes (rules of ownership have 50,000). */
const charactersMax = 100_000

type Values = Record<string, unknown>
const keptOf = (name: string) => JSON.parse(sessionStorage.getItem(keyOf(name)) ?? '{}') as Values

/** The revision that a form was made for, if the form names a revision. */
function revisionIn(form: HTMLFormElement): string | undefined {
  const control = form.elements.namedItem('revision')
  return control instanceof HTMLInputElement ? control.value : undefined
}

/** Restores a kept value as if it were typed: React notices only the event, not a plain assignment. */
function putBack(control: Kept, value: string): void {
  if (isBox(control)) {
    control.checked = value === 'on'
    return
  }
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value')?.set?.call(control, value)
  control.dispatchEvent(new Event(control instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }))
}

/**
 * Keeps what is typed into the form for this tab (never passwords): it comes back after a forced load or a reload.
 * `forgetKept` ends it.
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
      // The revision at the first typed word also counts for all later words, whatever revision the page has by then.
      const begun = { revision: revisionIn(element) }
      sessionStorage.setItem(keyOf(name), JSON.stringify({ ...begun, ...keptOf(name), [event.target.name]: value }))
    }
    element.addEventListener('input', keep)
    return () => element.removeEventListener('input', keep)
  }, [form, name])
}

/** The revision that what is kept of a form was begun over; undefined when nothing is kept, or the form names none. */
export function keptRevision(name: string): string | undefined {
  const { revision } = keptOf(name)
  return typeof revision === 'string' ? revision : undefined
}

/** The form was sent well: nothing of it comes back. */
export function forgetKept(name: string): void {
  sessionStorage.removeItem(keyOf(name))
}
