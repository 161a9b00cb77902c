import { useId } from 'react'
import type { SnippetPart } from '../../../../../../platforms/snippet.ts'
import { Snippet } from './snippets.tsx'

/** Files as tabs, each name once. The tabs are radio buttons, so that they work without scripts and with arrow keys. */
export function FileTabs({ parts }: { parts: readonly SnippetPart[] }) {
  const group = useId()
  const [only] = parts
  if (parts.length === 1 && only) return <Snippet part={only} />
  return (
    <div className="file-tabs">
      {parts.flatMap((part, at) => [
        <label key={`${part.where} tab`} className="file-tab">
          <input type="radio" name={group} defaultChecked={at === 0} />
          <code>{part.where}</code>
        </label>,
        <div key={part.where} className="file-panel">
          <Snippet part={part} />
        </div>,
      ])}
    </div>
  )
}
