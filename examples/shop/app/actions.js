'use server'
import { takeAll } from './stock.js'

export async function sell(name) {
  return takeAll([name])
}
