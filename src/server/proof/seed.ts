/** Turns of the event loop by which a result is delayed at most. */
const MAX_TURNS = 3

/** What is chosen at random in a proof, the same for a seed each time: so long things take, in turns of the event loop. */
export class Seed {
  readonly value: number
  #draws = 0

  constructor(value: number) {
    this.value = value
  }

  /** The next number in [0, 1). */
  random(): number {
    return this.#hash(`draw ${++this.#draws}`) / 2 ** 32
  }

  /** Delays a result: always by the same number of turns for the same subject. */
  async delayed<T>(result: Promise<T>, subject: string): Promise<T> {
    try {
      return await result
    } finally {
      for (let left = this.#hash(subject) % (MAX_TURNS + 1); left > 0; left--) await nextTurn()
    }
  }

  /** FNV-1a, with a final mix, as its low bits alone are much alike for similar texts. */
  #hash(text: string): number {
    let hash = 0x811c9dc5
    for (const character of `${this.value} ${text}`)
      hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    return (hash ^ (hash >>> 13)) >>> 0
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
