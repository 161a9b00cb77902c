import { sentryEsbuildPlugin } from '@sentry/bundler-plugins/esbuild'
import { build } from 'esbuild'

await build({
  entryPoints: ['main.js'],
  outdir: 'dist',
  bundle: true,
  minify: true,
  sourcemap: 'external',
  plugins: [
    sentryEsbuildPlugin({
      telemetry: false,
      release: { setCommits: false },
      sourcemaps: { filesToDeleteAfterUpload: 'dist/**/*.map' },
    }),
  ],
})
