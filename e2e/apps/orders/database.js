import pg from 'pg'

/** One pool for the server. The SDK instruments the driver itself. */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 2 })

export const query = async (text, values) => (await pool.query(text, values)).rows
