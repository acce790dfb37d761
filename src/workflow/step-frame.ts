import { declarationOf } from '../lib/declared-at.ts'
import { userPlace } from '../lib/files/short-paths.ts'
import type { StepDefinition } from './definition.ts'

/** The stack frame of the place where a step is declared. Undefined if that is not in user code. */
export function stepFrame(step: StepDefinition): string | undefined {
  const place = userPlace(declarationOf(step)?.stack)
  return place && `\n    at step "${step.id}" (${place.file}:${place.line}:${place.column})`
}

/**
 * Adds the frame of its step to the stack of an error without a frame in user code, as of a time-out or a result that
 * is not JSON. Returns whether the error has none of its own.
 */
export function addStepFrame(thrown: unknown, step: StepDefinition): boolean {
  if (!(thrown instanceof Error) || typeof thrown.stack !== 'string') return true
  if (userPlace(thrown.stack)) return false
  const frame = stepFrame(step)
  if (frame === undefined) return true
  const first = /\n\s+at /.exec(thrown.stack)?.index ?? thrown.stack.length
  // the error may be frozen
  Reflect.set(thrown, 'stack', thrown.stack.slice(0, first) + frame + thrown.stack.slice(first))
  return true
}
