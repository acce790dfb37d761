import { ApiError } from '../../client/api-error.ts'
import type { ExecutionDetail } from '../../contract/endpoints/execution.ts'
import type { CallOf } from '../api/call.ts'
import { errorMessage } from '../api/request-failure.ts'
import { useAction } from '../api/use-endpoint.ts'
import { useServices } from '../services/services-context.tsx'

type ResumeBody = NonNullable<CallOf<'resumeExecution'>['body']>

/** How something that waits is resumed. */
export interface Resumption {
  readonly resume: (body: { readonly resumeData?: unknown }) => void
  readonly isPending: boolean
  /** Message of a 400 response, about the data. */
  readonly validationMessage: string | undefined
  /** Called with whether something was entered that is not sent. */
  readonly onEdited?: ((edited: boolean) => void) | undefined
  /** Whether the form is one of several on the page: it has no shortcut of its own. */
  readonly isListed?: boolean
  /** Called with the way to decide from outside the form; must be stable. Undefined when the form is gone. */
  readonly onReady?: ((form: ReadyDecision | undefined) => void) | undefined
}

/** A form with a decision. */
export interface ReadyDecision {
  readonly decide: (approved: boolean) => void
  /** Whether nothing is missing that has to be entered. */
  readonly isComplete: boolean
}

/** Resumes the execution. Its events show how it ends; a validation error is shown at the form. */
export function useResume(
  { id, workflowId }: Pick<ExecutionDetail, 'id' | 'workflowId'>,
  refetch?: () => void,
  /** One of several steps that wait. */
  stepId?: string,
) {
  const { toasts } = useServices()
  const { mutate, isPending, isSuccess, error } = useAction('resumeExecution')
  const isRefusal = error instanceof ApiError && error.status === 400
  return {
    isPending,
    /** Until it is refused: the record may still be that of before. */
    isSent: isPending || isSuccess,
    validationMessage: isRefusal ? error.message : undefined,
    resume: (body: ResumeBody) =>
      mutate(
        {
          params: { id: workflowId, executionId: id },
          body: stepId === undefined ? body : { ...body, options: { stepId } },
        },
        {
          onError: (failure) => {
            // 500: the execution was resumed and failed later, which its record shows
            const status = failure instanceof ApiError ? failure.status : 0
            if (status !== 400 && status !== 500) toasts.error(errorMessage(failure))
          },
          ...(refetch && { onSettled: refetch }),
        },
      ),
  }
}
