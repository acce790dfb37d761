import { existsSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { RetriedTests } from './retried-tests.ts'
import { clientAliases } from './support/chat/client-aliases.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = (path: string) => fileURLToPath(new URL(`../src/${path}`, import.meta.url))

const MEMORY = '/dev/shm'
const ROOM_BYTES = 8 * 1024 ** 3

function roomIn(folder: string): number {
  if (!existsSync(folder)) return 0
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** The folder of the `ai` package to test with, instead of the one in node_modules. */
const AI_SDK = process.env['AI_SDK_FOLDER']

export default defineConfig({
  root,
  resolve: {
    alias: [
      { find: /^agentserver$/, replacement: source('index.ts') },
      { find: /^agentserver\/(server|client|react|testing)$/, replacement: source('$1/index.ts') },
      // AI SDK 7 needs Node 22, so it is no dependency of the repository: .ci/run installs it elsewhere
      ...clientAliases(AI_SDK),
    ],
  },
  test: {
    include: [
      'test/**/*.test.ts',
      'tools/**/*.test.ts',
      'examples/**/*.test.ts',
      'templates/*/test/**/*.test.ts',
    ],
    globalSetup: ['test/support/browser/browser-path.ts', 'test/support/postgres/postgres-provider.ts'],
    // a worker loads the product once for all its files
    isolate: false,
    setupFiles: ['test/setup.ts'],
    // tests make thousands of small databases: most of their time would go into waiting for the disk
    env: process.env['TMPDIR'] === undefined && roomIn(MEMORY) > ROOM_BYTES ? { TMPDIR: MEMORY } : {},
    typecheck: { enabled: false },
    // CommonJS packages look as they do to Node, not nicer
    deps: { interopDefault: false },
    // Node loads the built command line itself, once for all files of a worker
    server: { deps: { external: [/\/dist\/cli\//] } },
    // half of the time a worker waits for processes and browsers
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // a shared machine stalls a process now and then: two retries there, listed at the end of the run
    retry: process.env['CI'] ? 2 : 0,
    reporters: ['default', ...(process.env['GITHUB_ACTIONS'] ? ['github-actions'] : []), new RetriedTests()],
    // what a test prints is read when it fails
    silent: 'passed-only',
    // no file may depend on the one that ran before it
    sequence: { shuffle: { files: Boolean(process.env['CI']) } },
    // limits for what hangs: waiting ends when what it waits for happens, however slow the machine is
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 10 } },
  },
})
