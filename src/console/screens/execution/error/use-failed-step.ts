import { useEffect, useRef } from 'react'
import type { ExecutionDetail } from '../../../../contract/endpoints/execution.ts'
import { useServices } from '../../../services/services-context.tsx'

/** Selects the failed step of a failed execution when it is opened, unless the URL selects another one. */
export function useFailedStep({ status, error, steps }: ExecutionDetail): void {
  const { router } = useServices()
  const isDone = useRef(false)
  useEffect(() => {
    if (status !== 'error' || isDone.current) return
    isDone.current = true
    const path = steps.find((step) => step.stepId === error?.stepId)?.path
    if (path !== undefined && !new URLSearchParams(location.search).has('step'))
      router.setSearch({ step: path })
  }, [router, status, error, steps])
}
