// A small React application in two releases, and the ways to make it fail. bench/grouping.ts groups its failures.

const banner = `
/* release 2 */
const palette = { night: ['#000', '#111'], day: ['#fff', '#eee'] }
function darkTheme(name) {
  return palette[name].map((colour, at) => [at, colour])
}
`

const mainOf = (more: boolean): string => `${more ? banner : ''}
import { createElement } from 'react'
import { renderToString } from 'react-dom/server.browser'
import { demandRole } from './access.js'
import { retried } from './retried.js'
${more ? "export const theme = darkTheme('night')" : ''}
const cart = () => import('./pages/cart.js')
const account = () => import('./pages/account.js')
export const failures = {
  price: async () => renderToString(createElement((await cart()).Cart, { items: [{ name: 'Pen', price: { cents: 3 } }, { name: 'Ink' }] })),
  total: async () => (await cart()).total([{ cents: 5 }, { cents: -1 }]),
  pay: async () => (await cart()).onPay(undefined),
  voucher: async () => (await cart()).voucherOf('X-' + Math.floor(Math.random() * 9000)),
  ship: async () => (await cart()).ship({ to: null }),
  retry: async () => retried(async () => (await cart()).stockOf(null), 3),
  profile: async () => renderToString(createElement((await account()).Profile, { user: undefined })),
  settings: async () => (await account()).readSettings('{broken'),
  avatar: async () => (await account()).avatarOf(Math.floor(Math.random() * 9000)),
  friends: async () => renderToString(createElement((await account()).Friends, { list: [{ id: 1 }, null] })),
  login: async () => (await account()).login({ name: '' }),
  role: async () => demandRole({ roles: [] }, 'admin'),
}
`

const accessOf = (
  more: boolean,
): string => `${more ? 'export const roles = ["owner", "admin", "member", "viewer"]\nexport const isRole = (text) => roles.includes(text)\n' : ''}
export function demandRole(user, role) {
  if (!user.roles.includes(role)) throw new Error('the role ' + role + ' is missing')
  return user
}
`

const retriedOf = (
  more: boolean,
): string => `${more ? 'const waits = [10, 100, 1000]\nexport const waitOf = (tries) => waits[Math.min(tries, waits.length - 1)]\n' : ''}
export async function retried(work, tries) {
  for (let left = tries; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (left <= 1) throw error
    }
  }
}
`

const cartOf = (
  more: boolean,
): string => `${more ? 'const currency = new Intl.NumberFormat("en", { style: "currency", currency: "EUR" })\nexport function shownPrice(cents) {\n  return currency.format(cents / 100)\n}\n' : ''}
import { createElement } from 'react'
const centsOf = (item) => item.price.cents
function Line({ item }) {
  return createElement('li', null, item.name, ' ', String(centsOf(item)))
}
export function Cart({ items }) {
  return createElement('ul', null, items.map((item) => createElement(Line, { key: item.name, item })))
}
export function total(lines) {
  return lines.reduce((sum, line) => {
    if (line.cents < 0) throw new RangeError('a price below zero')
    return sum + line.cents
  }, 0)
}
function charge(card, cents) {
  return card.number.slice(-4) + ':' + cents
}
export function onPay(form) {
  return charge(form.card, 100)
}
export class VoucherError extends Error {}
export function voucherOf(code) {
  throw new VoucherError('voucher ' + code + ' is not known')
}
export function ship(order) {
  const { street } = order.to
  return street
}
export async function stockOf(shop) {
  await Promise.resolve()
  return shop.stock
}
`

const accountOf = (
  more: boolean,
): string => `${more ? 'export const limits = { name: 64, city: 80 }\nexport function cut(text, key) {\n  return text.slice(0, limits[key])\n}\n' : ''}
import { createElement } from 'react'
function nameOf(user) {
  return user.first + ' ' + user.last
}
export function Profile({ user }) {
  return createElement('h1', null, nameOf(user))
}
export function readSettings(text) {
  const settings = JSON.parse(text)
  return settings.theme
}
export function avatarOf(id) {
  throw new Error('avatar ' + id + ' is gone')
}
export function Friends({ list }) {
  return createElement('ol', null, list.map((one) => createElement('li', { key: one.id }, one.id)))
}
export function login(form) {
  if (form.name === '') throw new TypeError('a name is needed')
  return form.name
}
`

/** The files of a release. Release 2 has more code before that of release 1, so that all names and positions change. */
export function sourcesOf(release: 1 | 2): Record<string, string> {
  const more = release === 2
  return {
    'src/main.js': mainOf(more),
    'src/access.js': accessOf(more),
    'src/retried.js': retriedOf(more),
    'src/pages/cart.js': cartOf(more),
    'src/pages/account.js': accountOf(more),
  }
}
