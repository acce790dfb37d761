import type { ModuleAlias } from '../../config/loader/module-resolver.ts'

const own = (path: string) => new URL(`../../${path}`, import.meta.url).href

/** Resolves `agentserver` in a project to the running server's own modules. */
export const OWN_MODULES: ModuleAlias = {
  agentserver: own('index.js'),
  'agentserver/*': own('*/index.js'),
}
