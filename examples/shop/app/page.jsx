import Link from 'next/link'
import { Action } from './action.jsx'
import { Breaks } from './breaks.jsx'
import { Buy } from './buy.jsx'

/** Each way a server breaks, behind a link; those of the browser are buttons. */
const links = [
  ['/server', 'Server component', 'An error on the server: the page shows a digest, Mishap the line behind it.'],
  ['/lookup/41', 'A value in the message', 'Another digest for each value, one issue for all of them.'],
  ['/segment', 'Caught by a boundary', 'No window error: error.jsx reports it.'],
  ['/hydration/date', 'Hydration: a date', 'The server writes one time, the browser another.'],
  ['/hydration/random', 'Hydration: a random number', 'Math.random() in a component.'],
  ['/hydration/nesting', 'Hydration: nesting', 'A div in a p, which a browser takes apart.'],
  ['/hydration/browser', 'Hydration: browser only', 'A branch on typeof window.'],
  ['/slow', 'A slow page', 'Five seconds until anything comes.'],
]

const dsn = process.env.NEXT_PUBLIC_SENTRY_DSN

export default function Page() {
  return (
    <>
      <h1>Shop</h1>
      <p>
        Everything here breaks at the press of a button. Of most of it nothing is seen here: look at{' '}
        {dsn ? <a href={`${new URL(dsn).origin}/`}>Mishap</a> : 'Mishap'} beside it.
      </p>
      <h2>In the browser</h2>
      <ul>
        <li>
          <Buy />
          <small>An error in an event handler.</small>
        </li>
        <Breaks />
      </ul>
      <h2>On the server</h2>
      <ul>
        <li>
          <Action />
          <small>A server action that throws.</small>
        </li>
        {links.map(([href, name, what]) => (
          <li key={href}>
            {href.startsWith('/hydration/') ? (
              // A document of its own: a navigation within the page hydrates nothing.
              <a href={href}>{name}</a>
            ) : (
              // Without prefetching: what breaks would break before anybody asks for it.
              <Link href={href} prefetch={false}>
                {name}
              </Link>
            )}
            <small>{what}</small>
          </li>
        ))}
      </ul>
    </>
  )
}
