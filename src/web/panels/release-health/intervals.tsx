import type { RestShare } from '../../../contract/release-health.ts'
import { versionInfo } from '../../../domain/release-order.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { ReleaseSwatch } from './swatch.tsx'
import { type HealthWords, positionOf, type Scale, scaleOf } from './words.ts'

type NamedShare = { version: string; share: RestShare }

/** One release on the axis: a line for its share, a bar for its interval. */
function Row({
  namedShare,
  place,
  scale,
  words,
}: {
  namedShare: NamedShare
  place: number
  scale: Scale
  words: HealthWords
}) {
  const { share, version } = namedShare
  const [lowPercent, highPercent] = [positionOf(scale, share.low), positionOf(scale, share.high)]
  return (
    <tr>
      <th scope="row">
        <ReleaseSwatch place={place} />
        <PlainText text={versionInfo(version).description} charactersMax={60} />
      </th>
      <td className="health-track" aria-hidden="true" data-place={place % 3}>
        <span className="health-bar" style={{ left: `${lowPercent}%`, width: `${highPercent - lowPercent}%` }} />
        <span className="health-line" style={{ left: `${positionOf(scale, share.share)}%` }} />
      </td>
      <td className="number">
        <b>{words.percent(share.share)}</b>
      </td>
      <td className="number health-range">{words.interval(share)}</td>
      <td className="number">{words.count(share.sample)}</td>
    </tr>
  )
}

/** Crash-free sessions of several releases on one axis, each with its interval and session count. */
export function Intervals({
  entries,
  words,
  labels,
}: {
  entries: readonly NamedShare[]
  words: HealthWords
  labels: { caption: string; release: string; share: string; interval: string; sessions: string }
}) {
  const scale = scaleOf(entries.map((namedShare) => namedShare.share))
  return (
    <table className="health-intervals">
      <caption>{labels.caption}</caption>
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">{labels.release}</span>
          </th>
          <td className="health-axis" aria-hidden="true" />
          <th scope="col" className="number">
            <span className="visually-hidden">{labels.share}</span>
          </th>
          <th scope="col" className="number health-range">
            {labels.interval}
          </th>
          <th scope="col" className="number">
            {labels.sessions}
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map((namedShare, place) => (
          <Row key={namedShare.version} namedShare={namedShare} place={place} scale={scale} words={words} />
        ))}
        <tr>
          <td aria-hidden="true" />
          <td className="health-ticks" aria-hidden="true">
            {scale.ticks.map((tick) => (
              <span key={tick} style={{ left: `${positionOf(scale, tick)}%` }}>
                {words.percent(tick)}
              </span>
            ))}
          </td>
          <td colSpan={3} aria-hidden="true" />
        </tr>
      </tbody>
    </table>
  )
}
