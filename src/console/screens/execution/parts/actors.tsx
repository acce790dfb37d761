import type { ExecutionDetail } from '../../../../contract/endpoints/execution.ts'
import { eventTime } from '../../../../contract/fold-events.ts'
import { DecidedBy } from '../../../approvals/decided-by.tsx'
import { Fact } from '../../../ui/layout/fact.tsx'

/** The members that name users, and their labels. */
const ACTORS = [
  ['ownerId', 'Owner'],
  ['startedBy', 'Started by'],
  ['replayedBy', 'Replayed by'],
  ['suspendedBy', 'Suspended by'],
  ['cancelledBy', 'Cancelled by'],
] as const satisfies readonly (readonly [keyof ExecutionDetail, string])[]

/** The owner of an execution, and who did something with it. */
export function Actors({ record }: { readonly record: ExecutionDetail }) {
  return (
    <>
      <Users record={record} />
      <Resumer record={record} />
      <Accepter record={record} />
    </>
  )
}

/** Who last resumed the execution, if it was a decision. */
function Resumer({ record }: { readonly record: ExecutionDetail }) {
  const { resumedBy, resumedAs, resumedOver } = record
  if (resumedBy === undefined && resumedOver === undefined) return null
  const event = record.events.findLast(({ type }) => type === 'workflow-resumed')
  return (
    <Fact name="Resumed by">
      <span>
        <DecidedBy by={resumedBy} as={resumedAs} over={resumedOver} at={event && eventTime(event)} />
      </span>
    </Fact>
  )
}

/** Who has accepted that it runs on with code which its record does not fit. */
function Accepter({ record: { acceptedChanges } }: { readonly record: ExecutionDetail }) {
  if (!acceptedChanges) return null
  const { by, as, over, at } = acceptedChanges
  return (
    <Fact name="Changes accepted by">
      <span>
        <DecidedBy by={by} as={as} over={over} at={Date.parse(at)} />
      </span>
    </Fact>
  )
}

function Users({ record }: { readonly record: ExecutionDetail }) {
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
