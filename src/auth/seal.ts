import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts secrets that must be readable (webhook addresses, mail passwords) against leaks of the database. */
export type Seal = {
  seal(text: string): string
  /** Throws if the text was sealed with another secret or was changed. */
  open(sealed: string): string
}

const version = 'v1.'
const ivBytes = 12
const tagBytes = 16

/** AES-256-GCM with a key derived from the secret of the instance (HKDF-SHA256), and a new nonce per text. */
export function createSeal(secret: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'mishap seal 1', 32))
  return {
    seal: (text) => {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      const packed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return version + Buffer.concat([iv, cipher.getAuthTag(), packed]).toString('base64url')
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed.startsWith(version) ? sealed.slice(version.length) : '', 'base64url')
      if (bytes.length < ivBytes + tagBytes) throw new Error('The encrypted value is damaged.')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes))
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
      try {
        return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8')
      } catch {
        throw new Error('The encrypted value cannot be decrypted: the secrets of the data folder have changed.')
      }
    },
  }
}
