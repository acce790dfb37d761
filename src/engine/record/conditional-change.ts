import type { ExecutionStatus } from '../../contract/status.ts'
import type { ExecutionChange, ExecutionRow, ExecutionWrite } from '../../store/execution-store.ts'

/** What the store must hold for the next write to apply: the compare of compare-and-set. */
export type Expected =
  | 'absent'
  | {
      readonly status: ExecutionStatus
      /** Any, if absent. */
      readonly ownerEpoch?: number
      /** Only where another call may have changed the execution since it was read. */
      readonly lastSequence?: number
    }

/** Creates or changes an execution, if the store holds what is expected. */
export function conditionalChange(
  row: ExecutionRow,
  expected: Expected,
  set: ExecutionChange,
): Pick<ExecutionWrite, 'insert' | 'update'> {
  if (expected === 'absent') return { insert: { ...row, ...set } }
  const { status: from, ownerEpoch, lastSequence } = expected
  const isOwner = ownerEpoch === row.ownerEpoch
  return {
    update: {
      from,
      ...(ownerEpoch !== undefined && { ownerEpoch }),
      ...(lastSequence !== undefined && { lastSequence }),
      set: isOwner ? set : { ...set, ownerEpoch: row.ownerEpoch },
    },
  }
}
