import type { ExecutionDetail } from '../../../../contract/endpoints/execution.ts'
import { Fact } from '../../../ui/layout/fact.tsx'

/** The members that name users, and their labels. */
const ACTORS = [
  ['ownerId', 'Owner'],
  ['startedBy', 'Started by'],
  ['replayedBy', 'Replayed by'],
  ['suspendedBy', 'Suspended by'],
  ['resumedBy', 'Resumed by'],
  ['cancelledBy', 'Cancelled by'],
] as const satisfies readonly (readonly [keyof ExecutionDetail, string])[]

/** The owner of an execution, and the users who did something with it. */
export function Actors({ record }: { readonly record: ExecutionDetail }) {
  const { ownerId } = record
  return ACTORS.map(([key, name]) => {
    const id = record[key]
    const repeatsOwner = id === ownerId && (key === 'startedBy' || key === 'replayedBy')
    return (
      id !== undefined &&
      !repeatsOwner && (
        <Fact key={key} name={name}>
          <span className="break-all">{id}</span>
        </Fact>
      )
    )
  })
}
