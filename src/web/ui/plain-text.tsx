import { plainParts } from '../text.ts'

/**
 * Event text as plain text. Bidi, zero-width and control characters show as visible marks. Text is cut at
 * `charactersMax`. Works on the server and in the browser.
 */
export function PlainText({ text, charactersMax = 10_000 }: { text: string; charactersMax?: number }) {
  const shown = text.length > charactersMax ? text.slice(0, charactersMax) : text
  return (
    <>
      {plainParts(shown).map((part, index) =>
        typeof part === 'string' ? (
          part
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a string have no id
          <span key={index} className="control-mark">
            {part.mark}
          </span>
        ),
      )}
      {shown.length < text.length ? '…' : ''}
    </>
  )
}
