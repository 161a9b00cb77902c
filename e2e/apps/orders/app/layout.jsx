export const metadata = { title: 'Orders' }
/** Each request renders its page: a page that was built once would run no query, and give all its visitors one trace. */
export const dynamic = 'force-dynamic'

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
