import { describe } from 'vitest'
import { behindProxy } from './behind.cases.ts'
import { noNginx } from './nginx.ts'

describe.skipIf(noNginx)('behind nginx with TLS, as docs/proxy.md has it', () => behindProxy(''))
