import { useState } from 'react'
import type { Case } from '../../contract/evals/case.ts'
import { ApiError } from '../../client/api-error.ts'
import { errorMessage } from '../api/request-failure.ts'
import { useAction, useEndpoint } from '../api/use-endpoint.ts'

/** An execution, or a run of an agent. */
export type RunToKeep = { readonly executionId: string } | { readonly id: string; readonly runId: string }

/** The case of a run, and how to write it. */
export function useKeptCase(run: RunToKeep) {
  const isExecution = 'executionId' in run
  const ofExecution = { params: isExecution ? run : { executionId: '' } }
  const ofAgent = { params: isExecution ? { id: '', runId: '' } : run }
  const execution = useEndpoint('getExecutionCase', ofExecution, { enabled: isExecution })
  const agent = useEndpoint('getAgentRunCase', ofAgent, { enabled: !isExecution })
  const keepExecution = useAction('keepExecutionCase')
  const keepAgent = useAction('keepAgentRunCase')
  const { data: kept, error, refetch } = isExecution ? execution : agent
  const { data: written, isPending, error: failure } = isExecution ? keepExecution : keepAgent
  const [found, setFound] = useState<string>()
  const taken = found ?? (kept?.exists === true ? kept.path : undefined)
  const keep = (path: string, content: Case) => {
    const body = { case: content, path, overwrite: path === taken }
    const onError = (problem: Error) => {
      if (isTaken(problem, path)) setFound(path)
    }
    if (isExecution) keepExecution.mutate({ ...ofExecution, body }, { onError })
    else keepAgent.mutate({ ...ofAgent, body }, { onError })
  }
  return {
    kept,
    written,
    error,
    refetch: () => void refetch(),
    keep,
    isPending,
    failure: failure ? errorMessage(failure) : undefined,
    /** Path of a file that exists. */
    taken,
  }
}

function isTaken(error: Error, path: string): boolean {
  return error instanceof ApiError && error.status === 409 && error.message === `${path} exists`
}
