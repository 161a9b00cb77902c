import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, root, until } from '../product.ts'

const nginxPath = [
  join(root, '.build/nginx/usr/sbin/nginx'),
  '/usr/sbin/nginx',
  '/usr/local/sbin/nginx',
  '/opt/homebrew/bin/nginx',
].find((place) => existsSync(place))
const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** The reason to skip these tests, or undefined if they run. */
export const noNginx: string | undefined = nginxPath
  ? hasOpenssl
    ? undefined
    : 'no openssl on this machine'
  : 'no nginx on this machine'

/** The code blocks of docs/proxy.md in one language, in order. */
export const documented = (language: string): string[] =>
  [
    ...readFileSync(join(root, 'docs/proxy.md'), 'utf8').matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs')),
  ].map((found) => found[1] ?? '')

export type Nginx = {
  url: string
  host: string
  plainUrl: string
  port: number
  certificate: string
  stop(): Promise<void>
}

/** The documented configuration with the ports and certificate of the test. The rest is as users copy it. */
function localized(
  config: string,
  at: { port: number; plainPort: number; upstreamPort: number; folder: string },
): string {
  return config
    .replaceAll('mishap.example', 'localhost')
    .replaceAll('/etc/letsencrypt/live/localhost', at.folder)
    .replace(/^\s*listen \[::\].*\n/gm, '')
    .replace(/^( *)listen 443/m, `$1listen 127.0.0.1:${at.port}`)
    .replace(/^( *)listen 80;/m, `$1listen 127.0.0.1:${at.plainPort};`)
    .replace('https://$host$request_uri', `https://$host:${at.port}$request_uri`)
    .replaceAll('127.0.0.1:9000', `127.0.0.1:${at.upstreamPort}`)
}

/** Chooses all ports first, because MISHAP_URL needs the proxy's port, and the proxy needs Mishap's. */
export async function reserve(): Promise<{ port: number; plainPort: number; upstreamPort: number }> {
  const [port, plainPort, upstreamPort] = [await freePort(), await freePort(), await freePort()]
  return { port, plainPort, upstreamPort }
}

/** Creates a certificate for localhost, valid for two days, with its key. Returns the path of the certificate. */
function createCertificate(folder: string): string {
  const certificate = join(folder, 'fullchain.pem')
  const options = `-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost`.split(' ')
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', certificate]
  execFileSync('openssl', ['req', options, names, files].flat(), { stdio: 'ignore' })
  return certificate
}

/**
 * Starts nginx with the documented server in front of Mishap, with a new certificate and all files in its own folder.
 * `location` replaces the documented `location /`.
 */
export async function startNginx(
  ports: { port: number; plainPort: number; upstreamPort: number },
  location?: string,
): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-nginx-'))
  const certificate = createCertificate(folder)
  let server = documented('nginx')[0] ?? ''
  if (location) server = server.replace(/ {2}location \/ \{.*? {2}\}\n/s, location)
  for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, name))
  const user = process.getuid?.() === 0 ? 'user root;\n' : ''
  const config = `${user}daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log info;
events { worker_connections 256; }
http {
types { text/html html; text/css css; application/javascript js; }
access_log ${folder}/access.log;
client_body_temp_path ${folder}/body;
proxy_temp_path ${folder}/proxy;
fastcgi_temp_path ${folder}/fastcgi;
uwsgi_temp_path ${folder}/uwsgi;
scgi_temp_path ${folder}/scgi;
${localized(server, { ...ports, folder })}
}
`
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, config)
  const child = spawn(nginxPath ?? '', ['-p', folder, '-c', file, '-e', join(folder, 'error.log')], { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  await until('nginx', 10_000, () => {
    if (child.exitCode !== null) throw new Error(readFileSync(join(folder, 'error.log'), 'utf8'))
    return new Promise<boolean>((resolve) => {
      const socket = connect(ports.port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
      socket.on('close', () => undefined)
      socket.on('connect', () => socket.end())
    })
  })
  return {
    url: `https://localhost:${ports.port}`,
    host: `localhost:${ports.port}`,
    plainUrl: `http://localhost:${ports.plainPort}`,
    port: ports.port,
    certificate: readFileSync(certificate, 'utf8'),
    stop,
  }
}
