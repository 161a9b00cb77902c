import { query } from '../../database.js'

/** Planted fault: a slow statement. */
export default async function Report() {
  const [row] = await query('SELECT count(*) AS sold, pg_sleep(1.3) FROM items')
  return <p>{row.sold} items sold</p>
}
