import type { ValueReason } from './mistakes.ts'
import { states } from './states.ts'

// What somebody probably meant with a wrong value.

/** Longer words are not compared: no word of the language is longer. */
const wordCharactersMax = 40

/** Edits between two words: a changed, added, missing or exchanged letter is an edit. */
function editsBetween(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let edits = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits = Math.min(edits, (beforeLast[j - 2] ?? 0) + 1)
      row.push(edits)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}

/**
 * The word that is nearest to a mistyped one; undefined if none is near. A word of three letters may have one wrong
 * letter, a long one three. Words that begin with the typed letters are near, too.
 */
export function nearestWord(typed: string, words: readonly string[]): string | undefined {
  const text = typed.toLowerCase()
  if (text === '' || text.length > wordCharactersMax) return undefined
  const editsMax = Math.min(3, Math.max(1, Math.floor(text.length / 3)))
  const near = words
    .map((word) => ({ word, edits: editsBetween(text, word.toLowerCase()) }))
    .filter(({ edits }) => edits <= editsMax)
    .sort((a, b) => a.edits - b.edits)
  return near[0]?.word ?? (text.length > 2 ? words.find((word) => word.toLowerCase().startsWith(text)) : undefined)
}

const meaningOf = (words: Readonly<Record<string, string>>, text: string): string | undefined => {
  const word = nearestWord(text, Object.keys(words))
  return word === undefined ? undefined : words[word]
}

/** Words of other products for a state. */
const stateWords: Readonly<Record<string, string>> = {
  ...Object.fromEntries(states.map((state) => [state, state])),
  open: 'unresolved',
  closed: 'resolved',
  done: 'resolved',
  muted: 'archived',
  snoozed: 'archived',
}
const booleanWords = { true: 'true', false: 'false', yes: 'true', no: 'false', on: 'true', off: 'false' }
const dateWords = {
  now: '-1h',
  hour: '-1h',
  today: '-24h',
  day: '-24h',
  yesterday: '-2d',
  week: '-7d',
  month: '-30d',
}

/** A relative time without its sign, or a day in another order. */
function dateFor(text: string): string | undefined {
  const [, operator = '', amount = '', unit = ''] = /^([<>]?)=?(\d{1,6}) ?([mhdw])$/i.exec(text) ?? []
  // More than a time ago is earlier.
  if (amount) return `${operator === '>' ? '+' : '-'}${amount}${unit.toLowerCase()}`
  const [, year = '', month = '', day = ''] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text) ?? []
  const [, ownDay = '', ownMonth = '', ownYear = ''] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? []
  const date = `${year || ownYear}-${(month || ownMonth).padStart(2, '0')}-${(day || ownDay).padStart(2, '0')}`
  return date !== '-00-00' && !Number.isNaN(Date.parse(date)) ? date : meaningOf(dateWords, text)
}

/** A number with a thousands separator, or words behind it. */
function numberFor(text: string): string | undefined {
  const [, operator = '', digits = ''] = /^(=>|=<|[<>]=?|)\s?(-?\d[\d,_' ]{0,20})/.exec(text) ?? []
  if (digits === '') return undefined
  const sign = operator === '=>' ? '>=' : operator === '=<' ? '<=' : operator
  return `${sign}${digits.replace(/[,_' ]/g, '')}`
}

/** A value that fits, for a value that does not. Undefined if nothing is near. `words`: the values of a choice. */
export function suggestionFor(reason: ValueReason, text: string, words: readonly string[]): string | undefined {
  switch (reason) {
    case 'state':
      return meaningOf(stateWords, text)
    case 'choice':
      return nearestWord(text, words)
    case 'boolean':
      return meaningOf(booleanWords, text)
    case 'date':
      return dateFor(text)
    case 'number':
      return numberFor(text)
    case 'duration':
      return undefined
  }
}
