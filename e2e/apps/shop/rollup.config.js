import nodeResolve from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import { sentryRollupPlugin } from '@sentry/bundler-plugins/rollup'

export default {
  input: 'main.js',
  output: { dir: 'dist', format: 'es', sourcemap: 'hidden' },
  plugins: [
    nodeResolve(),
    terser(),
    sentryRollupPlugin({
      telemetry: false,
      release: { setCommits: false },
      sourcemaps: { filesToDeleteAfterUpload: 'dist/**/*.map' },
    }),
  ],
}
