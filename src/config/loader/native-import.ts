import vm from 'node:vm'
import type { ModuleNamespace } from './namespace.ts'

const script = new vm.Script('(url) => import(url)', {
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
})

/** Node's own `import()`, also where a tool rewrites the ones it finds in source files. */
export const nativeImport = script.runInThisContext() as (url: string) => Promise<ModuleNamespace>
