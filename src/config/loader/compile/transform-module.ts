import { moduleRunnerTransformSync, transformSync } from 'oxc-transform'
import type { OxcError, TransformOptions } from 'oxc-transform'
import { positionAt } from '../errors/code-frame.ts'
import type { Position } from '../errors/code-frame.ts'
import { SourceTrace } from '../errors/source-trace.ts'
import type { RawSourceMap } from '../errors/source-trace.ts'

/**
 * `module`: the body of an async function whose imports are awaited calls.
 * `commonjs`: the body of Node's CommonJS wrapper.
 */
export type ModuleForm = 'module' | 'commonjs'

export interface TransformedModule {
  readonly form: ModuleForm
  readonly code: string
  /** From the TypeScript file to plain JavaScript, then from that to `code`. */
  readonly maps: readonly [RawSourceMap, RawSourceMap]
}

/** A syntax error in the source. */
export class ParseError extends Error {
  override readonly name = 'ParseError'
  readonly position: Position

  constructor(message: string, position: Position) {
    super(message)
    this.position = position
  }
}

const ES_MODULE_MARK = /__vite_ssr_(?:exports__|import__|exportAll__|import_meta__)/
const COMMONJS_MARK = /\b(?:require|module|exports|__filename|__dirname)\b/
const ES_MODULE_SYNTAX = /^\s*(?:import|export)\b(?!\s*\()/m

/**
 * Transforms a project file into a function body: types are stripped, enums, decorators and JSX compiled, imports and
 * exports rewritten to calls.
 */
export function transformModule(file: string, source: string): TransformedModule {
  const asModule = strip(file, source, 'module')
  if (asModule.error === undefined) {
    const module = rewrite(asModule, 'module')
    if (ES_MODULE_MARK.test(module.code) || !mayBeCommonJs(file, module.code)) return module
  } else if (ES_MODULE_SYNTAX.test(source)) {
    throw parseError(asModule.error, source)
  }
  const asCommonJs = strip(file, source, 'commonjs')
  if (asCommonJs.error === undefined) return rewrite(asCommonJs, 'commonjs')
  if (asModule.error === undefined) return rewrite(asModule, 'module')
  throw parseError(asModule.error, source)
}

function mayBeCommonJs(file: string, code: string): boolean {
  return /\.c[jt]s$/.test(file) || COMMONJS_MARK.test(code)
}

interface Stripped {
  readonly code: string
  readonly map: RawSourceMap | undefined
  readonly error: OxcError | undefined
}

function strip(file: string, source: string, sourceType: ModuleForm): Stripped {
  const result = transformSync(file, source, {
    lang: languageOf(file),
    sourceType,
    sourcemap: true,
    target: 'es2023',
    decorator: { legacy: true, emitDecoratorMetadata: true },
  })
  return { code: result.code, map: result.map, error: result.errors.find(isFatal) }
}

function isFatal(error: OxcError): boolean {
  return (error.severity as string) === 'Error'
}

function languageOf(file: string): NonNullable<TransformOptions['lang']> {
  const typed = /\.[cm]?tsx?$/.test(file)
  if (file.endsWith('x')) return typed ? 'tsx' : 'jsx'
  return typed ? 'ts' : 'js'
}

function rewrite(stripped: Stripped, form: ModuleForm): TransformedModule {
  // a JavaScript name: in TypeScript `f(a < b, c > (d))` parses as a generic call
  const name = form === 'module' ? 'module.mjs' : 'module.cjs'
  const result = moduleRunnerTransformSync(name, stripped.code, { sourcemap: true })
  if (stripped.map === undefined || result.map === undefined) {
    throw new Error('The transform returned no source map')
  }
  const error = result.errors.find(isFatal)
  if (error !== undefined) {
    const { message, position } = parseError(error, stripped.code)
    const trace = new SourceTrace(name, { source: stripped.code, headLength: 0, maps: [stripped.map] })
    throw new ParseError(message, trace.original(position) ?? { line: 1, column: 1 })
  }
  // a hashbang is valid only at the start of a script
  return { form, code: result.code.replace(/^#!/, '//'), maps: [stripped.map, result.map] }
}

function parseError(error: OxcError, source: string): ParseError {
  // the parser's offsets are in UTF-8 bytes
  const before = Buffer.from(source)
    .subarray(0, error.labels[0]?.start ?? 0)
    .toString()
  return new ParseError(error.message, positionAt(source, before.length))
}
