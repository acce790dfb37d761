import type { ExecutionDetail } from '../../contract/endpoints/execution.ts'
import { useCommands } from '../search/use-commands.ts'
import { Button } from '../ui/controls/button.tsx'
import { usePins } from './use-pins.ts'

export interface PinButtonProps {
  readonly record: ExecutionDetail
  /** The selected step. */
  readonly stepId: string | undefined
}

/** Pins an execution, so that its step runs again on every save. Only where the project is served by `dev`. */
export function PinButton({ record: { id, error, steps }, stepId }: PinButtonProps) {
  const { enabled, pins, isPending, pin, unpin } = usePins()
  const isPinned = pins.some(({ executionId }) => executionId === id)
  const run = () => (isPinned ? unpin(id) : pin(id, stepId ?? error?.stepId))
  const name = isPinned ? 'Unpin' : 'Pin'
  const isShown = enabled && (isPinned || steps.length > 0)
  useCommands(() => (isShown ? [{ name: `${name} execution`, group: 'This page', run }] : []))
  if (!isShown) return null
  return (
    <Button
      onClick={run}
      disabled={isPending}
      title={isPinned ? 'Do not run it again on saves' : 'Run its step again on every save'}
    >
      {name}
    </Button>
  )
}
