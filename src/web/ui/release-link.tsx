import { releasePath } from '../client/release-path.ts'
import { Link } from './link.tsx'
import { PlainText } from './plain-text.tsx'

/** A version that leads to its page; at most `charactersMax` of it are shown. */
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
