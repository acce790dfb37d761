import { ANSWERS_ONLY } from './guardrail.ts'
import type { Guardrail } from './guardrail.ts'

/**
 * A guardrail that blocks texts of more than `length` characters, and objects whose JSON is longer.
 *
 * @throws RangeError when `length` is not a whole number of 1 or more.
 *
 * @example
 * createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Be brief.', guardrails: { input: [maxLength(2000)] } })
 */
export function maxLength(length: number): Guardrail {
  if (!Number.isInteger(length) || length < 1)
    throw new RangeError('maxLength() requires a whole number of 1 or more')
  const guardrail: Guardrail = ({ text, object }) => {
    const value = text ?? JSON.stringify(object) ?? ''
    return value.length > length ? { block: `Longer than ${length} characters` } : undefined
  }
  // nobody reads a summary, and without it the model forgets the conversation
  return Object.assign(guardrail, { [ANSWERS_ONLY]: true as const })
}
