import { createServer } from 'node:http'
import * as Sentry from '@sentry/node'
import { options, send } from './send.js'

Sentry.init(options)
await send(Sentry, createServer)
