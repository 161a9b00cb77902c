import type { DialogTexts } from './texts.ts'

export type DialogOptions = { endpoint: string; language: string; name: string; email: string; texts: DialogTexts }

// The functions of this file run in customer pages as source text, so they only use each other. They set style
// properties and text content, which no content security policy forbids.

type Style = Partial<CSSStyleDeclaration>

/** Creates an element with its own style, independent of the styles of the page. */
function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  style: Style,
  text = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  const plain = { boxSizing: 'border-box', font: '14px/1.5 system-ui, sans-serif', color: '#1b1d22' }
  Object.assign(element.style, plain, style)
  if (text) element.textContent = text
  return element
}

/** Creates a button in one of the two styles of the dialog. */
function makeButton(type: 'submit' | 'button', text: string): HTMLButtonElement {
  const colors = type === 'submit' ? { background: '#1b1d22', color: '#ffffff' } : { background: '#ffffff' }
  const edge = { padding: '6px 14px', border: '1px solid #8a8f99', borderRadius: '4px', cursor: 'pointer' }
  const button = createElement('button', { ...edge, ...colors, marginRight: '8px' }, text)
  button.type = type
  return button
}

/** Creates a labelled field. Returns the row and the input. */
function makeField(name: string, label: string, value: string, kind: 'text' | 'email' | 'area') {
  const row = createElement('label', { display: 'block', margin: '0 0 12px', fontWeight: '600' }, label)
  const input = createElement(kind === 'area' ? 'textarea' : 'input', {
    display: 'block',
    width: '100%',
    margin: '4px 0 0',
    padding: '6px 8px',
    background: '#ffffff',
    border: '1px solid #8a8f99',
    borderRadius: '4px',
  })
  if (input instanceof HTMLTextAreaElement) input.rows = 5
  else input.type = kind
  input.name = name
  input.value = value
  input.maxLength = kind === 'area' ? 4096 : 128
  row.append(input)
  return { row, input }
}

/** Creates the form. It shows the result of sending and calls `close` when the user clicks the close button. */
function makeForm(options: DialogOptions, close: () => void): HTMLFormElement {
  const { texts } = options
  const form = createElement('form', { margin: '0' })
  form.noValidate = true
  const fields = [
    makeField('name', texts.labelName, options.name, 'text'),
    makeField('email', texts.labelEmail, options.email, 'email'),
    makeField('comments', texts.labelComments, '', 'area'),
  ]
  const wrong = createElement('p', { margin: '0 0 12px', color: '#b3261e' })
  wrong.setAttribute('role', 'alert')
  const send = makeButton('submit', texts.labelSubmit)
  const closer = makeButton('button', texts.labelClose)
  closer.addEventListener('click', close)
  form.append(...fields.map((field) => field.row), wrong, send, closer)
  const submit = async () => {
    send.disabled = true
    wrong.textContent = ''
    const body = new URLSearchParams()
    for (const { input } of fields) body.set(input.name, input.value)
    const status = await fetch(options.endpoint, { method: 'POST', body, credentials: 'omit' }).then(
      (answer) => answer.status,
      () => 0,
    )
    if (status === 200) {
      const thanks = createElement('p', { margin: '0 0 16px' }, texts.successMessage)
      thanks.setAttribute('role', 'status')
      form.replaceChildren(thanks, closer)
      closer.focus()
      return
    }
    wrong.textContent = status === 400 ? texts.errorFormEntry : texts.errorGeneric
    send.disabled = false
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit()
  })
  return form
}

/** Traps the Tab key within the dialog and closes it on Escape. */
function guardKeys(box: HTMLElement, close: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key === 'Escape') close()
    if (event.key !== 'Tab') return
    const all = box.querySelectorAll<HTMLElement>('input, textarea, button')
    const first = all[0]
    const last = all[all.length - 1]
    const edge = event.shiftKey ? first : last
    if (document.activeElement !== edge && box.contains(document.activeElement)) return
    event.preventDefault()
    const next = event.shiftKey ? last : first
    next?.focus()
  }
}

/** Shows the crash-report dialog over the page. */
function showDialog(options: DialogOptions): void {
  const { texts } = options
  const before = document.activeElement
  const layer = createElement('div', {
    position: 'fixed',
    inset: '0',
    zIndex: '2147483647',
    overflow: 'auto',
    padding: '24px 12px',
    background: 'rgba(12, 14, 18, 0.55)',
  })
  const edge = { border: '1px solid #c9ccd3', borderRadius: '6px' }
  const box = createElement('div', {
    ...edge,
    maxWidth: '480px',
    margin: '5vh auto',
    padding: '24px',
    background: '#ffffff',
  })
  const close = () => {
    layer.remove()
    document.removeEventListener('keydown', onKey, true)
    if (before instanceof HTMLElement) before.focus()
    // SDKs wait for this message to call their onClose.
    window.postMessage('__sentry_reportdialog_closed__', '*')
  }
  const onKey = guardKeys(box, close)
  box.lang = options.language
  for (const [name, value] of [
    ['role', 'dialog'],
    ['aria-modal', 'true'],
    ['aria-label', texts.title],
  ] as const)
    box.setAttribute(name, value)
  const form = makeForm(options, close)
  box.append(createElement('h2', { margin: '0 0 8px', font: '600 18px/1.3 system-ui, sans-serif' }, texts.title))
  for (const text of [texts.subtitle, texts.subtitle2])
    if (text) box.append(createElement('p', { margin: '0 0 12px' }, text))
  box.append(form)
  layer.append(box)
  layer.addEventListener('click', (event) => {
    if (event.target === layer) close()
  })
  document.addEventListener('keydown', onKey, true)
  document.body.append(layer)
  // Focus the first empty field, because the page can preset name and email.
  const empty = [...form.querySelectorAll<HTMLInputElement>('input, textarea')].find((control) => control.value === '')
  empty?.focus()
}

/** Returns a script that shows the dialog. `options` is JSON that is already escaped for a script. */
export const dialogSource = (options: string): string =>
  `(function () {\n'use strict';\n${[createElement, makeButton, makeField, makeForm, guardKeys, showDialog].map(String).join('\n')}\nshowDialog(${options});\n})();\n`
