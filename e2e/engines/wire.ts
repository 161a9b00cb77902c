// A network between the product and its store that a test can cut.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'

export type Wire = {
  port: number
  /** Ends all connections at once, in the middle of what they carry. */
  cut(): void
  close(): void
}

function certificateIn(folder: string): { key: Buffer; cert: Buffer } {
  const [key, cert] = [join(folder, 'wire.key'), join(folder, 'wire.crt')]
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1']
  execFileSync('openssl', [...words, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  return { key: readFileSync(key), cert: readFileSync(cert) }
}

/**
 * Passes connections on to a port of this machine. `tlsFolder`: takes them with TLS and a certificate that nobody
 * signed, which is made in this folder.
 */
export function wireTo(port: number, tlsFolder?: string): Promise<Wire> {
  const open = new Set<Socket>()
  const pass = (near: Socket) => {
    const far = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  }
  const server = tlsFolder === undefined ? createServer(pass) : createTlsServer(certificateIn(tlsFolder), pass)
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy()
  }
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve({
        port: address && typeof address === 'object' ? address.port : 0,
        cut,
        close: () => {
          server.close()
          cut()
        },
      })
    }),
  )
}
