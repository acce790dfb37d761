import { useEffect, useState } from 'react'
import type { WorkflowDetail } from '../../../../contract/endpoints/workflow.ts'
import { examplesIn } from '../../../../contract/schema-examples.ts'
import { useForm, useUnsaved } from '../../../form/use-form.ts'
import type { Form } from '../../../form/use-form.ts'
import { initialValue } from '../../../form/initial-value.ts'
import { isObject } from '../../../form/json-schema.ts'
import { NO_OPTIONS, saveRun, loadRun } from '../../../execution/saved-run.ts'
import type { RunOptions } from '../../../execution/saved-run.ts'

/** The body of a run request. */
export interface RunBody {
  readonly input: unknown
  readonly options?: {
    readonly userId?: string
    readonly conversationId?: string
    readonly executionId?: string
    readonly context?: Record<string, unknown>
  }
}

export interface RunForm {
  readonly input: Form
  readonly options: RunOptions
  readonly setOptions: (changes: Partial<RunOptions>) => void
  /** The error in the context JSON. */
  readonly contextProblem: string | undefined
  /** The body to send; undefined while the form has invalid JSON. */
  readonly body: RunBody | undefined
}

/** What a form without an earlier input starts with: the first example, or what the schema sets. */
export function firstInput(inputSchema: WorkflowDetail['inputSchema']): unknown {
  return examplesIn(inputSchema)[0] ?? initialValue(inputSchema, inputSchema)
}

/**
 * The state of the run form, which starts with the last input, or the first one. With `onlyStored` it starts without one when
 * nothing is stored: the input of another run was too long to be, and no example may take its place.
 */
export function useRunForm({ id, inputSchema }: WorkflowDetail, onlyStored: boolean): RunForm {
  const [last] = useState(() => loadRun(id))
  const input = useForm(inputSchema, last.input ?? (onlyStored ? undefined : firstInput(inputSchema)))
  const [options, setAll] = useState<RunOptions>({ ...NO_OPTIONS, ...last.options })
  const { value, problem } = input.read()
  const { context, problem: contextProblem } = contextIn(options.context)
  // what is not valid JSON is not stored
  useUnsaved(problem !== undefined)
  useEffect(() => {
    if (problem === undefined) saveRun(id, { input: value, options })
  }, [id, value, problem, options])
  const sentOptions = {
    ...(options.userId !== '' && { userId: options.userId }),
    ...(options.conversationId !== '' && { conversationId: options.conversationId }),
    ...(options.executionId !== '' && { executionId: options.executionId }),
    ...(context && { context }),
  }
  const isValid = problem === undefined && contextProblem === undefined
  return {
    input,
    options,
    setOptions: (changes) => setAll((old) => ({ ...old, ...changes })),
    contextProblem,
    body: isValid
      ? { input: value ?? {}, ...(Object.keys(sentOptions).length > 0 && { options: sentOptions }) }
      : undefined,
  }
}

function contextIn(text: string): { context?: Record<string, unknown>; problem?: string } {
  if (text.trim() === '') return {}
  try {
    const value = JSON.parse(text) as unknown
    return isObject(value) ? { context: value } : { problem: 'The context must be a JSON object' }
  } catch {
    return { problem: 'Invalid JSON' }
  }
}
