export function getServerSideProps() {
  throw new TypeError('server failure')
}

export default function Page() {
  return null
}
