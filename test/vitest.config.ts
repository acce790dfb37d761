import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = (path: string) => fileURLToPath(new URL(`../src/${path}`, import.meta.url))

export default defineConfig({
  root,
  resolve: {
    alias: [
      { find: /^agentserver$/, replacement: source('index.ts') },
      { find: /^agentserver\/(server|client|testing)$/, replacement: source('$1/index.ts') },
      // the other major version of the AI SDK, which needs Node 22
      ...(process.env['AI_SDK'] === '7' ? [{ find: /^ai$/, replacement: 'ai7' }] : []),
    ],
  },
  test: {
    include: ['test/**/*.test.ts', 'examples/docs/**/*.test.ts', 'templates/*/test/**/*.test.ts'],
    globalSetup: ['test/browser/browser-server.ts'],
    // a worker loads the product once for all its files
    isolate: false,
    setupFiles: ['test/setup.ts'],
    typecheck: { enabled: false },
    // CommonJS packages look as they do to Node, not nicer
    deps: { interopDefault: false },
    // vitest leaves a core free, which on two cores runs file after file
    maxWorkers: '100%',
    // shared machines stall a process now and then; what fails twice is broken
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
