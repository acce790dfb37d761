import type { DeciderKind, ResumeInterface } from '../../contract/access/decision.ts'
import { Time } from '../ui/time/time.tsx'

const INTERFACES: Readonly<Record<ResumeInterface, string>> = {
  http: 'HTTP',
  chat: 'chat',
  a2a: 'A2A',
  'ag-ui': 'AG-UI',
  mcp: 'MCP',
  cli: 'the command line',
  code: 'code',
  event: 'an event',
  link: 'a signed link',
}

export interface DecidedByProps {
  /** The id of the authenticated user. */
  readonly by: string | undefined
  readonly as: DeciderKind | undefined
  readonly over: ResumeInterface | undefined
  readonly at: number | string | undefined
}

/** Who decided, over which interface, and when. Records of earlier releases have less. */
export function DecidedBy({ by, as, over, at }: DecidedByProps) {
  const who = by ?? as ?? (over === undefined ? 'unknown' : 'anyone')
  return (
    <>
      <bdi className="break-all">{who}</bdi>
      {over !== undefined && ` over ${INTERFACES[over]}`}
      {at !== undefined && (
        <>
          , <Time at={at} />
        </>
      )}
    </>
  )
}
