import type { RestLevel } from '../../contract/issues.ts'

export type Severity = RestLevel | 'ok'

const colours: Record<Severity, string> = {
  fatal: 'text-fatal',
  error: 'text-error',
  warning: 'text-warning',
  info: 'text-info',
  debug: 'text-debug',
  ok: 'text-ok',
}

const shapes: Record<Severity, React.ReactNode> = {
  fatal: <rect x="1" y="1" width="8" height="8" fill="currentColor" />,
  error: <circle cx="5" cy="5" r="4.2" fill="currentColor" />,
  warning: <path d="M5 .8 9.6 9H.4Z" fill="currentColor" />,
  info: <path d="M5 .4 9.6 5 5 9.6.4 5Z" fill="currentColor" />,
  debug: <circle cx="5" cy="5" r="3.4" fill="none" stroke="currentColor" strokeWidth="1.6" />,
  ok: <path d="m1 5.4 2.7 2.8L9 2.2" fill="none" stroke="currentColor" strokeWidth="1.8" />,
}

/**
 * The level as a shape of `sizePx`, because deuteranopes cannot tell light error and warning colours apart. Has a name
 * for screen readers, unless `label` is '' because the text next to it says the same.
 */
export function SeverityShape({ level, label, sizePx = 9 }: { level: Severity; label: string; sizePx?: number }) {
  return (
    <svg
      role="img"
      aria-label={label || undefined}
      aria-hidden={label === '' || undefined}
      width={sizePx}
      height={sizePx}
      viewBox="0 0 10 10"
      className={`inline-block flex-none ${colours[level]}`}
    >
      {shapes[level]}
    </svg>
  )
}
