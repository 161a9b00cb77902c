import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import type { PostgresAddress } from '../../../../base/postgres-url.ts'

/**
 * TLS options of node for an address and a host; undefined for no TLS. As in libpq, `require` encrypts without a check
 * of the certificate unless `sslrootcert` is given. Throws the file system's error if that file cannot be read.
 */
export function tlsOptions(address: PostgresAddress, host: string): ConnectionOptions | undefined {
  const { sslMode, sslRootCert } = address
  // A Unix socket has no TLS.
  if (sslMode === 'disable' || host.startsWith('/')) return undefined
  const ca = sslRootCert === '' ? {} : { ca: readFileSync(sslRootCert, 'utf8') }
  if (sslMode === 'verify-full') return ca
  const verifies = sslMode === 'verify-ca' || (sslMode === 'require' && sslRootCert !== '')
  return verifies ? { ...ca, checkServerIdentity: () => undefined } : { rejectUnauthorized: false }
}
