import { releasePath } from '../client/release-path.ts'
import { Link } from './link.tsx'
import { PlainText } from './plain-text.tsx'

/** A version with a link to its page. Shows at most `charactersMax` characters. */
export function ReleaseLink({
  organization,
  version,
  charactersMax = 60,
}: {
  organization: string
  version: string
  charactersMax?: number
}) {
  return (
    <Link className="link" href={releasePath(organization, version)}>
      <code>
        <PlainText text={version} charactersMax={charactersMax} />
      </code>
    </Link>
  )
}
