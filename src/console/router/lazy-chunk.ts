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
