import { ProxyTracerProvider, trace } from '@opentelemetry/api'
import { afterAll, vi } from 'vitest'
import { disposePersistedValues } from '../src/config/persist.ts'
import { keepEnv } from './support/process/keep-env.ts'

const NO_PROVIDER = new ProxyTracerProvider().getDelegate()
const restoreEnv = keepEnv()
const SERVERS = Symbol.for('agentserver.servers')

/** The servers that code of this process can call; with one too many, calls of the next files would find several. */
function servingServers(): Set<unknown> | undefined {
  return (globalThis as { [SERVERS]?: { readonly serving: Set<unknown> } })[SERVERS]?.serving
}

// files share a process, and its packages: each leaves it as it was, and gets modules of its own
afterAll(async () => {
  await disposePersistedValues()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  restoreEnv()
  vi.resetModules()
  const provider = trace.getTracerProvider()
  const isServing = provider instanceof ProxyTracerProvider && provider.getDelegate() !== NO_PROVIDER
  // spans of user code in the next files would go to the server of this one
  trace.disable()
  const serving = servingServers()
  const left = serving?.size ?? 0
  serving?.clear()
  if (isServing || left > 0) throw new Error('A server was not closed at the end of its test file')
})
