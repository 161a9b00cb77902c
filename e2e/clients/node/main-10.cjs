// This version wraps what is required after `init`.
const Sentry = require('@sentry/node-10')
const { options, send } = require('./send.js')

Sentry.init(options)
send(Sentry, require('node:http').createServer)
