import type { Position } from './code-frame.ts'
import type { SourceTrace } from './source-trace.ts'
import { keepThrowSite } from './throw-site.ts'

/** The scripts whose stack frames are mapped to the user's source files, by script name. */
export type TracedScripts = ReadonlyMap<string, SourceTrace>

interface Frame extends NodeJS.CallSite {
  toString(): string
}

type Prepare = (error: Error, sites: Frame[]) => unknown

/**
 * Maps `error.stack` to the project's source files, without Node flags. Stacks without frames of the project are passed
 * to the previous `Error.prepareStackTrace`. Returns a function that undoes it.
 */
export function traceStacks(scripts: TracedScripts): () => void {
  const previous = Reflect.get(Error, 'prepareStackTrace') as Prepare | undefined
  let active = true
  const prepare: Prepare = (error, sites) => {
    if (active && sites.some((site) => scripts.has(scriptOf(site)))) return format(error, sites, scripts)
    if (previous !== undefined) return previous.call(Error, error, sites)
    return [describe(error), ...sites.map((site) => `    at ${site.toString()}`)].join('\n')
  }
  Reflect.set(Error, 'prepareStackTrace', prepare)
  return () => {
    active = false
    if (Reflect.get(Error, 'prepareStackTrace') !== prepare) return
    if (previous === undefined) Reflect.deleteProperty(Error, 'prepareStackTrace')
    else Reflect.set(Error, 'prepareStackTrace', previous)
  }
}

function scriptOf(site: Frame): string {
  return site.getFileName() ?? ''
}

function format(error: Error, sites: readonly Frame[], scripts: TracedScripts): string {
  let found = false
  const frames = sites.flatMap((site) => {
    const trace = scripts.get(scriptOf(site))
    if (trace === undefined) return [`    at ${site.toString()}`]
    const position = trace.original(positionOf(site))
    // omit accessors and wrappers that the transform added
    if (position === undefined) return []
    if (!found) keepThrowSite(error, { trace, position })
    found = true
    return [`    at ${mappedFrame(site, trace.file, position)}`]
  })
  return [describe(error), ...frames].join('\n')
}

function positionOf(site: Frame): Position {
  return { line: site.getLineNumber() ?? 1, column: site.getColumnNumber() ?? 1 }
}

function mappedFrame(site: Frame, file: string, original: Position): string {
  const { line, column } = positionOf(site)
  return site
    .toString()
    .replace(`${scriptOf(site)}:${line}:${column}`, () => `${file}:${original.line}:${original.column}`)
    .replaceAll('__vite_ssr_export_default__', 'default')
}

function describe(error: Error): string {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    return '<error>'
  }
}
