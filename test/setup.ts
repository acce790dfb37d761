import { ProxyTracerProvider, trace } from '@opentelemetry/api'
import { afterAll, vi } from 'vitest'
import { disposePersistedValues } from '../src/config/persist.ts'
import { keepEnv } from './support/process/keep-env.ts'

const NO_PROVIDER = new ProxyTracerProvider().getDelegate()
const restoreEnv = keepEnv()

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
  if (isServing) throw new Error('A server was not closed at the end of its test file')
})
