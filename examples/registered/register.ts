import type config from './agentserver.config.ts'

declare module 'agentserver' {
  interface Register {
    config: typeof config
  }
}
