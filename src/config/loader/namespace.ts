/** A module's exports, as accessors of live bindings. */
export type ModuleNamespace = Record<string, unknown>

export function createNamespace(): ModuleNamespace {
  const tag = { [Symbol.toStringTag]: { value: 'Module' } }
  return Object.create(null, tag) as ModuleNamespace
}

/** `export * from`: all names except `default` and those that the module exports itself. */
export function exportAll(namespace: ModuleNamespace, source: unknown): void {
  if (!isObjectLike(source)) return
  for (const key of Object.keys(source)) {
    if (key === 'default' || Object.hasOwn(namespace, key)) continue
    Object.defineProperty(namespace, key, { enumerable: true, configurable: true, get: () => source[key] })
  }
}

/** Fills the namespace as Node does for CommonJS: `default` is `module.exports`, its keys are named exports. */
export function exportCommonJs(namespace: ModuleNamespace, exports: unknown): void {
  const get = () => exports
  Object.defineProperty(namespace, 'default', { enumerable: true, configurable: true, get })
  exportAll(namespace, exports)
}

/**
 * The namespaces of CommonJS modules as importers see them, including names that Node does not detect. For a CommonJS
 * importer, the default of a compiled ES module is its `export default`, as in TypeScript.
 */
export class CommonJsViews {
  readonly #views = {
    module: new WeakMap<object, ModuleNamespace>(),
    commonJs: new WeakMap<object, ModuleNamespace>(),
  }

  view(namespace: ModuleNamespace, importer: 'module' | 'commonJs'): ModuleNamespace {
    const known = this.#views[importer].get(namespace)
    if (known !== undefined) return known
    const exports = namespace['default']
    const view = createNamespace()
    const compiled = importer === 'commonJs' && isCompiledModule(exports)
    const get = () => (compiled ? exports['default'] : exports)
    Object.defineProperty(view, 'default', { enumerable: true, configurable: true, get })
    exportAll(view, namespace)
    exportAll(view, exports)
    this.#views[importer].set(namespace, view)
    return view
  }
}

function isCompiledModule(exports: unknown): exports is Record<string, unknown> {
  return isObjectLike(exports) && exports['__esModule'] === true && 'default' in exports
}

function isObjectLike(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}
