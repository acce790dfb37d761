import type { AnswerFormat } from './answer-format.ts'

export type ObjectTextPart =
  | { readonly type: 'text-delta'; readonly text: string }
  /** The model was called again, after tools: what was sent before is no part of the object. */
  | { readonly type: 'restart' }
  /** `missing`: why there is no object. */
  | { readonly type: 'finish'; readonly object: unknown; readonly missing?: string }
  | { readonly type: 'error'; readonly error: string }
  | { readonly type: 'abort' }

/** The JSON of the object, as the model writes it. */
export const objectTextFormat: AnswerFormat<ObjectTextPart> = {
  async *read(stream) {
    const isWrapped = stream.answerSchema?.isWrapped === true
    let json = new ObjectJson(isWrapped)
    for await (const part of stream.parts()) {
      if (part.type === 'error') return
      if (part.type === 'start-step') {
        json = new ObjectJson(isWrapped)
        yield { type: 'restart' }
      }
      const text =
        part.type === 'text-delta' ? json.push(part.text) : part.type === 'finish' ? json.end() : ''
      if (text !== '') yield { type: 'text-delta', text }
    }
  },
  finished: ({ object, pending, reason }) => ({
    type: 'finish',
    object: object ?? null,
    ...(pending && { missing: 'The answer waits for a response: use another route for tools that need one' }),
    ...(reason !== undefined && { missing: reason }),
  }),
  failed: (error) => ({ type: 'error', error }),
  aborted: () => ({ type: 'abort' }),
}

/** Where the value begins: at the object, or behind the name of the member that it is wrapped in. */
const BEGINNING = { object: /^\s*(?=\{)/, wrapped: /^\s*\{\s*"value"\s*:\s*(?=\S)/ }

/** The JSON of the value in the text of a model. Text that is no JSON, such as what models say before they call tools, is left out. */
class ObjectJson {
  readonly #isWrapped: boolean
  #held = ''
  #hasBegun = false

  constructor(isWrapped: boolean) {
    this.#isWrapped = isWrapped
  }

  push(text: string): string {
    this.#held += text
    if (!this.#hasBegun) {
      const [beginning] = BEGINNING[this.#isWrapped ? 'wrapped' : 'object'].exec(this.#held) ?? []
      if (beginning === undefined) return ''
      this.#hasBegun = true
      this.#held = this.#held.slice(beginning.length)
    }
    // the last bracket of the text may be that of the wrapper
    let end = this.#held.length
    if (this.#isWrapped) while (end > 0 && /[\s}]/.test(this.#held.charAt(end - 1))) end--
    const sent = this.#held.slice(0, end)
    this.#held = this.#held.slice(end)
    return sent
  }

  end(): string {
    return this.#hasBegun && this.#isWrapped ? this.#held.replace(/\}\s*$/, '') : ''
  }
}
