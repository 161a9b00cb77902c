import Link from 'next/link'

/** One link for each planted fault. A prefetch would run it before anybody asks for it. */
export default function Home() {
  return (
    <nav>
      {['orders', 'report', 'archive', 'export'].map((name) => (
        <Link key={name} href={`/${name}`} prefetch={false}>
          {name}
        </Link>
      ))}
    </nav>
  )
}
