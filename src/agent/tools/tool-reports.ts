import { NotJsonError, toJson } from '../../lib/json/to-json.ts'
import type { DataPart, ToolContext } from './tool.ts'

/** The maximum size of a part that a tool writes, and of a preliminary result, as JSON in bytes. */
export const MAX_PART_BYTES = 256 * 1024

/** The `write` of a call whose parts nobody can read. */
export const unheard = (): void => undefined

/** Checks what a tool reports during one call, and refuses it afterwards. */
export class ToolReports {
  /** The context of the call. */
  readonly context: ToolContext
  readonly #toolName: string
  #hasEnded = false

  constructor(toolName: string, context: ToolContext) {
    this.#toolName = toolName
    this.context = {
      ...context,
      write: (part: DataPart) => {
        this.#check(part)
        context.write(part)
      },
      preliminary: (output) => {
        this.#checkJson(output, 'result')
        context.preliminary?.(output)
      },
    }
  }

  end(): void {
    this.#hasEnded = true
  }

  #check(part: unknown): void {
    if (this.#hasEnded)
      throw new Error(
        `Tool "${this.#toolName}" has ended: write is for the time of its call. Await what writes before it returns`,
      )
    const { type, data, id, transient } = (typeof part === 'object' && part !== null ? part : {}) as Partial<
      Record<keyof DataPart, unknown>
    >
    if (typeof type !== 'string' || !/^data-./.test(type))
      throw new TypeError(
        `write: the type must begin with data-, for example data-progress; it is ${JSON.stringify(type)}`,
      )
    if (id !== undefined && typeof id !== 'string') throw new TypeError('write: id must be a string')
    if (transient !== undefined && typeof transient !== 'boolean')
      throw new TypeError('write: transient must be true or false')
    this.#checkJson({ type, data, id }, 'write')
  }

  #checkJson(value: unknown, root: string): void {
    let json: string
    try {
      json = toJson(value, root)
    } catch (error) {
      if (error instanceof NotJsonError)
        throw new TypeError(`Tool "${this.#toolName}" reported what is not JSON: ${error.message}`, {
          cause: error,
        })
      throw error
    }
    const bytes = Buffer.byteLength(json)
    if (bytes > MAX_PART_BYTES)
      throw new RangeError(
        `Tool "${this.#toolName}" reported ${bytes} bytes of JSON at once; the maximum is ${MAX_PART_BYTES}. Report less, and return the rest`,
      )
  }
}
