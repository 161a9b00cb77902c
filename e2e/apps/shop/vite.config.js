import { sentryVitePlugin } from '@sentry/bundler-plugins/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  build: { sourcemap: 'hidden' },
  plugins: [
    sentryVitePlugin({
      telemetry: false,
      release: { setCommits: false },
      sourcemaps: { filesToDeleteAfterUpload: 'dist/**/*.map' },
    }),
  ],
})
