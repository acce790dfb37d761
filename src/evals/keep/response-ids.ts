/** The ids by which the responses to an agent's calls name them: every run has its own. */
const RESPONSES = { approvals: 'approvalId', toolOutputs: 'toolCallId' } as const
/** What a suspended step waits for, by the member of the resume data that responds to it. */
const CALLS = { approvals: 'approvals', toolOutputs: 'toolCalls' } as const

type Members = Readonly<Record<string, unknown>>

/**
 * Resume data without the ids of calls, in the order in which the suspension lists them. Other resume data is returned
 * unchanged.
 *
 * @param waiting the data of the suspension
 */
export function withoutIds(resumeData: unknown, waiting: unknown): unknown {
  return mapResponses(resumeData, waiting, (responses, calls, id) =>
    calls.flatMap((call) => {
      const found = responses.find((one) => one[id] === call[id])
      if (!found) return []
      const { [id]: _, ...rest } = found
      return [rest]
    }),
  )
}

/** Resume data whose responses have the ids of the calls that a suspended step waits for, by their order. */
export function withIds(resumeData: unknown, waiting: unknown): unknown {
  return mapResponses(resumeData, waiting, (responses, calls, id) =>
    responses.map((one, index) => (id in one ? one : { ...one, [id]: calls[index]?.[id] })),
  )
}

type MapMembers = (responses: readonly Members[], calls: readonly Members[], id: string) => readonly Members[]

function mapResponses(resumeData: unknown, waiting: unknown, map: MapMembers): unknown {
  if (!isMembers(resumeData) || !isMembers(waiting)) return resumeData
  const mapped = Object.entries(RESPONSES).flatMap(([member, id]) => {
    const responses = membersIn(resumeData[member])
    const calls = membersIn(waiting[CALLS[member as keyof typeof CALLS]])
    return responses && calls ? [[member, map(responses, calls, id)] as const] : []
  })
  return mapped.length === 0 ? resumeData : { ...resumeData, ...Object.fromEntries(mapped) }
}

function membersIn(value: unknown): readonly Members[] | undefined {
  return Array.isArray(value) && value.every((one) => isMembers(one)) ? value : undefined
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
