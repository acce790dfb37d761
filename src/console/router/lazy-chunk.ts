import { startTransition, useEffect, useState } from 'react'

interface LazyCode<T> {
  /** Undefined until it is loaded. */
  readonly code: T | undefined
  readonly error: unknown
}

/**
 * Code that is loaded after the screen is rendered, so that the heading does not wait for it. `undefined` loads
 * nothing yet.
 */
export function useLazyCode<T extends object>(chunk: LazyChunk<T> | undefined): LazyCode<T> {
  const [error, setError] = useState<unknown>()
  const [, setLoaded] = useState(chunk?.code)
  useEffect(() => {
    if (!chunk || chunk.code) return undefined
    let unmounted = false
    chunk.load().then(
      // what it renders may be long, and must not block the page
      (code) => unmounted || startTransition(() => setLoaded(code)),
      (reason: unknown) => unmounted || setError(reason),
    )
    return () => {
      unmounted = true
    }
  }, [chunk])
  return { code: chunk?.code, error }
}

/** Code that is loaded when it is first needed, and kept. A failed load is repeated by the next call. */
export class LazyChunk<T extends object> {
  readonly #import: () => Promise<T>
  #loading: Promise<T> | undefined
  #code: T | undefined

  constructor(load: () => Promise<T>) {
    this.#import = load
  }

  /** Undefined until it is loaded. */
  get code(): T | undefined {
    return this.#code
  }

  readonly load = (): Promise<T> => (this.#loading ??= this.#start())

  async #start(): Promise<T> {
    try {
      this.#code = await this.#import()
      return this.#code
    } catch (error) {
      this.#loading = undefined
      throw error
    }
  }
}
