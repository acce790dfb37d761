import type { Lifetime } from './lifetime.ts'

/** `process.stdout`, or a stream that collects the output. */
export interface OutputStream extends NodeJS.WritableStream {
  /** True for a terminal. */
  readonly isTTY?: boolean
  /** The width of the terminal. */
  readonly columns?: number
}

/**
 * What a command line is connected to. The environment and the current directory are those of the process: code of the
 * project reads them, too.
 */
export interface CommandIo {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  /** Called before the command runs, to end it when the process has to end. */
  readonly supervise?: (lifetime: Lifetime) => void
}
