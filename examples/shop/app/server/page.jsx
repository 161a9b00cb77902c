import { takeAll } from '../stock.js'

export const dynamic = 'force-dynamic'

export default function ServerPage() {
  return <p>{JSON.stringify(takeAll(['lid']))}</p>
}
