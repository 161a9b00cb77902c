import { query } from '../../database.js'

/** Planted fault: N+1. The items come with one query for each order. */
export default async function Orders() {
  const orders = await query('SELECT id, customer FROM orders ORDER BY id')
  const rows = []
  for (const { id, customer } of orders) {
    const items = await query('SELECT name FROM items WHERE order_id = $1', [id])
    rows.push(`${customer}: ${items.map(({ name }) => name).join(', ')}`)
  }
  return (
    <ul>
      {rows.map((row) => (
        <li key={row}>{row}</li>
      ))}
    </ul>
  )
}
