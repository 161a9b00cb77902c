import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

// `base` stops Tailwind from searching the whole package for class names.
const config = { plugins: { '@tailwindcss/postcss': { base: dirname(fileURLToPath(import.meta.url)) } } }

export default config
