import type { ModuleAlias } from '../config/loader/resolve.ts'

const own = (path: string) => new URL(`../${path}`, import.meta.url).href

/** What a project imports as `agentserver` is the very code that runs it. */
export const OWN_MODULES: ModuleAlias = {
  agentserver: own('index.js'),
  'agentserver/*': own('*/index.js'),
}
