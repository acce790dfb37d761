import type { LoadFailure } from '../../../contract/load-failure.ts'
import { FailureBar } from '../../shell/failure-bar.tsx'

/** Why the evals could not be loaded from the code as saved, with the place. */
export function EvalProblem({ problem }: { readonly problem: LoadFailure | null | undefined }) {
  if (!problem) return null
  const { name, message, file, line, column, frame } = problem
  return (
    <FailureBar
      label="Evals error"
      title={`${name}: ${message}`}
      location={[file, line, column].filter((part) => part !== null).join(':')}
      text={frame ?? ''}
      note="the code as saved cannot run"
    />
  )
}
