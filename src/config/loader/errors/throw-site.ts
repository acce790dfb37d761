import type { Position } from './code-frame.ts'
import type { SourceTrace } from './source-trace.ts'

/** Where an error was created: the first of its stack frames in the project's code. */
interface ThrowSite {
  readonly trace: SourceTrace
  readonly position: Position
}

/** A place in the project's code, with the lines around it as they were when the code was loaded. */
export interface FramedPlace extends Position {
  /** Absolute. */
  readonly file: string
  /** Five lines of source at most, without literals that may be secrets. */
  readonly frame: string
}

// the stack is formatted once per error, and only then its scripts are known
const sites = new WeakMap<object, ThrowSite>()

/** Keeps the place of an error whose stack is formatted. */
export function keepThrowSite(error: object, site: ThrowSite): void {
  sites.set(error, site)
}

/** The place in the project where an error was created. Undefined if no source was loaded for its stack frames. */
export function throwSiteOf(error: object): FramedPlace | undefined {
  const site = sites.get(error)
  const frame = site?.trace.frame(site.position)
  return site && frame !== undefined ? { file: site.trace.file, ...site.position, frame } : undefined
}
