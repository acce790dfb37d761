import type { SourceTrace } from './source-trace.ts'

/** The scripts whose frames are shown at the line the user wrote, by script name. */
export type TracedScripts = ReadonlyMap<string, SourceTrace>

interface Frame extends NodeJS.CallSite {
  toString(): string
}

type Prepare = (error: Error, sites: Frame[]) => unknown

/**
 * Makes `error.stack` speak of the project's own files and lines, without flags. Stacks without such a frame
 * go to whoever prepared stacks before. Returns how to undo it.
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
    const text = trace === undefined ? site.toString() : traced(site, trace)
    return text === undefined ? [] : [`    at ${text}`]
  })
  return [describe(error), ...frames].join('\n')
}

function traced(site: Frame, trace: SourceTrace): string | undefined {
  const line = site.getLineNumber() ?? 1
  const column = site.getColumnNumber() ?? 1
  const original = trace.original({ line, column })
  // accessors and glue that the transform added say nothing to the reader
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
