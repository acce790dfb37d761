import { afterAll, vi } from 'vitest'
import { disposePersistedValues } from '../src/config/persist.ts'

const env = { ...process.env }

// files share a process, and its packages: each leaves it as it was, and gets modules of its own
afterAll(async () => {
  await disposePersistedValues()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  vi.resetModules()
})
