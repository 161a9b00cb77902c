import { useTranslations } from 'next-intl'
import type { SnippetPart } from '../../../../../../platforms/types.ts'
import { CopyButton } from '../../../../../../ui/copy-button.tsx'

/** Files and commands to add to an application, each with its path and a copy button. */
export function Snippets({ parts }: { parts: readonly SnippetPart[] }) {
  const t = useTranslations('projectSetup')
  return (
    <ol className="flex flex-col gap-3">
      {parts.map((part) => (
        <li key={part.code} className="box">
          <div className="flex items-center justify-between border-b border-line py-1 pl-3 pr-1 text-small text-ink-3">
            <code className="min-w-0 break-all">
              {part.where === 'shell' || part.where === 'environment' ? t(part.where) : part.where}
            </code>
            <CopyButton text={part.code} label={t('copySnippet')} iconOnly />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
          <pre className="overflow-x-auto p-3" tabIndex={0}>
            {part.code}
          </pre>
        </li>
      ))}
    </ol>
  )
}
