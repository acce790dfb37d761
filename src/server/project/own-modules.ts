import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ModuleAlias } from '../../config/loader/module-resolver.ts'
import { OWN_CODE } from '../../lib/packages/own-package.ts'

const own = (name: string) => pathToFileURL(path.join(OWN_CODE, name)).href

/** Resolves `agentserver` in a project to the running server's own modules. */
export const OWN_MODULES: ModuleAlias = {
  agentserver: own('index.js'),
  'agentserver/*': own('*/index.js'),
}
