import vm from 'node:vm'
import { LoadError, loadErrorAt, projectRelative } from '../errors/load-error.ts'
import type { SeenSources } from '../seen-sources.ts'
import { SourceTrace } from '../errors/source-trace.ts'
import type { TracedScripts } from '../errors/trace-stacks.ts'
import { ParseError, transformModule } from './transform-module.ts'
import type { ModuleForm, TransformedModule } from './transform-module.ts'

const IMPORT_PARAMETERS =
  '__vite_ssr_import__,__vite_ssr_dynamic_import__,__vite_ssr_exports__,__vite_ssr_exportAll__,__vite_ssr_import_meta__'

// CommonJS names are in an outer scope, so that a module may declare its own `require` or `__dirname`
const HEADS = {
  module: `(__filename,__dirname,require,module,exports)=>async(${IMPORT_PARAMETERS})=>{"use strict";`,
  required: `(__filename,__dirname,require,module,exports)=>(${IMPORT_PARAMETERS})=>{"use strict";`,
  commonjs: '(__vite_ssr_dynamic_import__)=>function(exports,require,module,__filename,__dirname){',
} as const

/** A compiled file. Each run creates its functions again. */
export interface CompiledModule {
  readonly file: string
  readonly source: string
  readonly form: ModuleForm
  readonly script: vm.Script
  /** The script for `require()` of an ES module: imports are synchronous, top-level await is a syntax error. */
  readonly requiredScript: () => vm.Script
  readonly scriptNames: ReadonlySet<string>
}

/** Compiles project files, each once per content, and keeps their source maps. */
export class ModuleCompiler {
  readonly #root: string
  readonly #sources: SeenSources
  readonly #cache = new Map<string, CompiledModule>()
  readonly #traces = new Map<string, SourceTrace>()
  #versions = 0

  constructor(root: string, sources: SeenSources) {
    this.#root = root
    this.#sources = sources
  }

  get traces(): TracedScripts {
    return this.#traces
  }

  /** Throws a LoadError if the file is not readable or has a syntax error. */
  compile(file: string): CompiledModule {
    const source = this.read(file)
    const cached = this.#cache.get(file)
    if (cached?.source === source) return cached
    const compiled = this.#build(file, source, this.#transform(file, source))
    this.#cache.set(file, compiled)
    return compiled
  }

  read(file: string): string {
    const source = this.#sources.read(file)
    if (source !== undefined) return source
    const shown = projectRelative(this.#root, file)
    throw new LoadError({ name: 'ResolveError', message: `Cannot read '${shown}'`, file: shown })
  }

  /** Removes everything that these modules do not need. */
  keepOnly(used: ReadonlySet<CompiledModule>): void {
    const names = new Set(Array.from(used, (compiled) => Array.from(compiled.scriptNames)).flat())
    for (const name of this.#traces.keys()) if (!names.has(name)) this.#traces.delete(name)
    for (const [file, compiled] of this.#cache) if (!used.has(compiled)) this.#cache.delete(file)
  }

  #transform(file: string, source: string): TransformedModule {
    try {
      return transformModule(file, source)
    } catch (error) {
      if (!(error instanceof ParseError)) throw error
      const place = { root: this.#root, file, source, position: error.position }
      throw loadErrorAt(place, { name: 'SyntaxError', message: error.message })
    }
  }

  #build(file: string, source: string, { form, code, maps }: TransformedModule): CompiledModule {
    const scriptNames = new Set<string>()
    const script = (head: string, body: string) => {
      // a script name per version: code of an older version keeps its line numbers
      const name = this.#traces.has(file) ? `${file}?v=${++this.#versions}` : file
      const trace = new SourceTrace(file, { source, headLength: head.length, maps })
      const result = this.#script(`${head}${body}\n}`, { name, source, trace })
      this.#traces.set(name, trace)
      scriptNames.add(name)
      return result
    }
    let required: vm.Script | undefined
    return {
      file,
      source,
      form,
      script: script(HEADS[form], code),
      requiredScript: () => (required ??= script(HEADS.required, withoutAwait(code))),
      scriptNames,
    }
  }

  #script(
    code: string,
    { name, source, trace }: { name: string; source: string; trace: SourceTrace },
  ): vm.Script {
    try {
      return new vm.Script(code, { filename: name })
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      const line = Number(/:(\d+)$/m.exec((error.stack ?? '').split('\n', 1)[0] ?? '')?.[1] ?? 1)
      const position = trace.original({ line, column: 1 }) ?? { line: 1, column: 1 }
      const place = { root: this.#root, file: trace.file, source, position }
      throw loadErrorAt(place, { name: 'SyntaxError', message: error.message, cause: error })
    }
  }
}

/** The same code with synchronous static imports, at the same columns. */
function withoutAwait(code: string): string {
  return code.replace(/^(const __vite_ssr_import_\d+__ = )await( __vite_ssr_import__\()/gm, '$1     $2')
}
