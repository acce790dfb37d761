import { Autocomplete } from '@base-ui/react/autocomplete'
import { StatusIcon, statusText } from '../ui/state/status-badge.tsx'
import { Time } from '../ui/time/time.tsx'
import type { Found } from './found.ts'

/** What the fields of a match are called. */
const FIELDS: Readonly<Record<string, string | undefined>> = { step: 'result of a step', detail: 'details' }

/** One result: its name, and dimmed what else is known. */
export function SearchOption({ found, run }: { readonly found: Found; readonly run: () => void }) {
  const { name, note, status, at, match } = found
  return (
    <Autocomplete.Item
      value={found}
      onClick={run}
      className="cursor-pointer rounded-sm px-2 py-1 data-highlighted:bg-chosen"
    >
      <span className="flex min-w-0 items-baseline gap-3">
        <bdi className="min-w-0 shrink truncate">{name}</bdi>
        {note !== undefined && note !== '' && (
          <bdi className="min-w-0 shrink-[9] truncate text-sm text-dim" title={note}>
            {note}
          </bdi>
        )}
        <span className="ml-auto flex shrink-0 items-center gap-3 text-sm text-dim">
          {status !== undefined && (
            <span className="flex items-center gap-1">
              <StatusIcon status={status} />
              {statusText(status)}
            </span>
          )}
          {at !== undefined && <Time at={at} />}
        </span>
      </span>
      {match && (
        <span className="block truncate text-sm text-dim">
          {FIELDS[match.field] ?? match.field}: <bdi>{match.text}</bdi>
        </span>
      )}
    </Autocomplete.Item>
  )
}
