import { useTranslations } from 'next-intl'
import type { SnippetPart } from '../../../../../../platforms/snippet.ts'
import { languageOf } from '../../../../../../ui/code/languages.ts'
import { Code } from '../../../../../../ui/code.tsx'
import { CopyButton } from '../../../../../../ui/copy/copy-button.tsx'

/** A file or command with its path, colours and a copy button. */
export function Snippet({ part }: { part: SnippetPart }) {
  const t = useTranslations('projectSetup')
  const name = part.where === 'shell' || part.where === 'environment' ? t(part.where) : part.where
  const language = part.where === 'shell' ? 'bash' : languageOf(part.where, null)
  return (
    <div className="box">
      <div className="flex items-center justify-between border-b border-line py-1 pl-3 pr-1 text-small text-ink-3">
        <code className="min-w-0 break-all">{name}</code>
        <CopyButton text={part.code} label={t('copySnippet')} iconOnly />
      </div>
      <Code text={part.code} language={language} label={name} />
    </div>
  )
}

/** Files and commands to add to an application, in their order. */
export function Snippets({ parts }: { parts: readonly SnippetPart[] }) {
  return (
    <ol className="flex flex-col gap-3">
      {parts.map((part) => (
        <li key={part.code}>
          <Snippet part={part} />
        </li>
      ))}
    </ol>
  )
}
