/**
 * A map of things that pass through by the thousand a second. V8's own `Map` grows out of a table for every few
 * entries that come and go, and each old table, once it is in the old generation, keeps all that was in it and the
 * next table alive until the next full collection: young garbage is copied as if it lived. An object in dictionary
 * mode has no such chain.
 */
export class PassingMap<Value extends object> {
  #values: Record<string, Value> = Object.create(null) as Record<string, Value>
  #size = 0

  get size(): number {
    return this.#size
  }

  has(key: string): boolean {
    return this.#values[key] !== undefined
  }

  get(key: string): Value | undefined {
    return this.#values[key]
  }

  set(key: string, value: Value): void {
    if (!this.has(key)) this.#size++
    this.#values[key] = value
  }

  delete(key: string): void {
    if (!this.has(key)) return
    this.#size--
    delete this.#values[key]
  }

  /** In the order in which they came; those whose keys are whole numbers stand first. */
  values(): Value[] {
    return Object.values(this.#values)
  }
}
