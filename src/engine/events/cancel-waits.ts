import { AppError, messageOf } from '../../lib/errors.ts'
import type { EventTopic } from '../../store/event-store.ts'
import { nameOfEvent } from '../../step/define-event.ts'
import type { WorkflowDefinition } from '../../workflow/definition.ts'
import { MAX_CANCEL_TRIGGERS } from '../../workflow/event-triggers.ts'
import type { CancelTrigger } from '../../workflow/event-triggers.ts'
import { startContext } from '../queue/queue-rules.ts'
import type { StartFacts } from '../queue/queue-rules.ts'

// The events that cancel an execution are stored as waits of it, with paths that no step has.

const PATH = /^!\d+$/

export function isCancelPath(path: string): boolean {
  return PATH.test(path)
}

/** The paths of the waits that an execution may have; of a workflow that is gone, all. */
export function cancelPaths(definition: WorkflowDefinition | undefined): string[] {
  const length = definition ? (definition.cancelOn?.length ?? 0) : MAX_CANCEL_TRIGGERS
  return Array.from({ length }, (_, index) => cancelPath(index))
}

export function cancelPath(index: number): string {
  return `!${index}`
}

/**
 * The events that cancel a new execution.
 *
 * @throws AppError `invalid_input` when a key is no string.
 */
export function cancelTopics({ id, cancelOn = [] }: WorkflowDefinition, facts: StartFacts): EventTopic[] {
  return (cancelOn as readonly CancelTrigger<unknown>[]).map(({ event, key }, index) => {
    const name = nameOfEvent(event)
    if (typeof key !== 'function') return { name, key: key ?? null }
    const failed = (problem: string, cause?: unknown) =>
      new AppError(
        'invalid_input',
        `cancelOn of workflow "${id}" does not suit the input: cancelOn[${index}].key ${problem}`,
        { cause },
      )
    let chosen: unknown
    try {
      chosen = key(startContext(facts))
    } catch (error) {
      throw failed(`threw: ${messageOf(error)}`, error)
    }
    if (typeof chosen !== 'string') throw failed('did not return a string')
    return { name, key: chosen }
  })
}
