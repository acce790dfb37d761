import type { Guardrails, InputGuardrail, OutputGuardrail } from './guardrail.ts'

/** The guardrails of an agent. */
export interface ResolvedGuardrails {
  /** Checks of the request, in order. */
  readonly input: readonly InputGuardrail[]
  /** Checks of the answer, in order. */
  readonly output: readonly OutputGuardrail[]
}

/** The problems of the option `guardrails`. */
export function guardrailProblems(guardrails: unknown): string[] {
  if (guardrails === undefined) return []
  if (typeof guardrails !== 'object' || guardrails === null)
    return ['guardrails must be an object with the lists input and output']
  return Object.entries(guardrails).flatMap(([name, list]: [string, unknown]) => {
    if (name !== 'input' && name !== 'output') return [`guardrails.${name} is unknown: use input or output`]
    if (list === undefined) return []
    const isList = Array.isArray(list) && list.every((guardrail) => typeof guardrail === 'function')
    return isList ? [] : [`guardrails.${name} must be a list of functions`]
  })
}

/** The declared guardrails; none when they are not declared correctly, which `problems` report. */
export function declaredGuardrails(guardrails: Guardrails | undefined): ResolvedGuardrails {
  if (guardrailProblems(guardrails).length > 0) return { input: [], output: [] }
  const { input = [], output = [] } = guardrails ?? {}
  return Object.freeze({ input: Object.freeze([...input]), output: Object.freeze([...output]) })
}
