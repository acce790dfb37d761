import type { SourceTrace } from './source-trace.ts'

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
  const frames = sites.flatMap((site) => {
    const trace = scripts.get(scriptOf(site))
    const text = trace === undefined ? site.toString() : mappedFrame(site, trace)
    return text === undefined ? [] : [`    at ${text}`]
  })
  return [describe(error), ...frames].join('\n')
}

function mappedFrame(site: Frame, trace: SourceTrace): string | undefined {
  const line = site.getLineNumber() ?? 1
  const column = site.getColumnNumber() ?? 1
  const original = trace.original({ line, column })
  // omit accessors and wrappers that the transform added
  if (original === undefined) return undefined
  return site
    .toString()
    .replace(`${scriptOf(site)}:${line}:${column}`, () => `${trace.file}:${original.line}:${original.column}`)
    .replaceAll('__vite_ssr_export_default__', 'default')
}

function describe(error: Error): string {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    return '<error>'
  }
}
