'use client'
import { type RefObject, useEffect } from 'react'

const keyOf = (name: string) => `kept:${location.pathname}:${name}`

type Kept = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

const isKept = (element: unknown): element is Kept =>
  (element instanceof HTMLInputElement && !['password', 'hidden', 'file', 'submit'].includes(element.type)) ||
  element instanceof HTMLTextAreaElement ||
  element instanceof HTMLSelectElement

const isBox = (control: Kept): control is HTMLInputElement =>
  control instanceof HTMLInputElement && control.type === 'checkbox'

/** A box is on or off; its own value says nothing. */
const typedIn = (control: Kept): string => (isBox(control) ? (control.checked ? 'on' : '') : control.value)

/** Keeps what is typed into the form for this tab (never passwords): it comes back after a forced load or a reload. `forgetKept` ends it. */
export function useKeptForm(form: RefObject<HTMLFormElement | null>, name: string): void {
  useEffect(() => {
    const element = form.current
    if (!element) return
    const kept = JSON.parse(sessionStorage.getItem(keyOf(name)) ?? '{}') as Record<string, unknown>
    for (const [field, value] of Object.entries(kept)) {
      const control = element.elements.namedItem(field)
      if (!isKept(control) || typeof value !== 'string' || control.dataset.typed) continue
      if (isBox(control)) control.checked = value === 'on'
      else control.value = value
    }
    const keep = (event: Event) => {
      if (!isKept(event.target) || !event.target.name) return
      const now = JSON.parse(sessionStorage.getItem(keyOf(name)) ?? '{}') as Record<string, unknown>
      sessionStorage.setItem(
        keyOf(name),
        JSON.stringify({ ...now, [event.target.name]: typedIn(event.target).slice(0, 20_000) }),
      )
    }
    element.addEventListener('input', keep)
    return () => element.removeEventListener('input', keep)
  }, [form, name])
}

/** The form was sent well: nothing of it comes back. */
export function forgetKept(name: string): void {
  sessionStorage.removeItem(keyOf(name))
}
