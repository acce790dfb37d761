import path from 'node:path'
import { defineConfig } from 'vite'
import type { Plugin } from 'vite'
import manifest from '../package.json' with { type: 'json' }

const ROOT = path.join(import.meta.dirname, '..')

/**
 * The modules that are loaded by their path: those that package.json exports, those that start a process, and the command
 * line, which tests run in their own process.
 */
const ENTRIES = [
  'index',
  'server/index',
  'client/index',
  'react/index',
  'testing/index',
  'cli/main',
  'cli/command-line',
  'store/sqlite/backup/copy-process',
]

/** Packages that users install: those of `dependencies` and peers. The others become part of the build. */
const INSTALLED = Object.keys({
  ...manifest.dependencies,
  ...manifest.optionalDependencies,
  ...manifest.peerDependencies,
})

/** The package, or the folder of `src`, that most modules of a chunk are from: a name for stacks and profiles. */
function mostOf(modules: readonly string[]): string {
  const places = modules.map((id) => {
    const [, place = 'shared'] = /(?:.*\/node_modules|\/src)\/((?:@[^/]+\/)?[^/.]+)/.exec(id) ?? []
    return place.replace('/', '-').replace('@', '')
  })
  const count = (place: string) => places.filter((other) => other === place).length
  return places.reduce((most, place) => (count(place) > count(most) ? place : most), 'shared')
}

/** What pg-boss imports and does not use here: it is given a connection, and has no schedules. */
const UNUSED = new Set(['pg', 'cron-parser', 'rrule-temporal'])

function withoutUnused(): Plugin {
  return {
    name: 'without-unused',
    enforce: 'pre',
    resolveId: (id, importer) => (UNUSED.has(id) && importer?.includes('/pg-boss/') ? '\0unused' : undefined),
    load: (id) =>
      id === '\0unused'
        ? 'export default {}; export const CronExpressionParser = {}, RRuleTemporal = {}'
        : undefined,
  }
}

/** The code of the package for Node: few files load faster than many. */
export default defineConfig({
  root: ROOT,
  publicDir: false,
  plugins: [withoutUnused()],
  ssr: { noExternal: true, external: INSTALLED },
  build: {
    ssr: true,
    target: 'node20.19',
    outDir: 'dist',
    emptyOutDir: false,
    minify: false,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      input: Object.fromEntries(ENTRIES.map((name) => [name, path.join(ROOT, `src/${name}.ts`)])),
      output: {
        entryFileNames: '[name].js',
        // the declarations have them
        comments: { jsdoc: false },
        // Next renders what uses hooks on the client
        banner: ({ name }) => (name === 'react/index' ? `'use client'` : ''),
        chunkFileNames: ({ moduleIds }) => `chunks/${mostOf(moduleIds)}-[hash].js`,
      },
    },
  },
})
