import { useState } from 'react'
import type { LogRecord } from '../../contract/endpoints/log.ts'
import type { Api } from '../api/api.ts'
import { errorMessage } from '../api/request-failure.ts'
import { useKeys } from '../keys/use-keys.ts'
import { useServices } from '../services/services-context.tsx'
import { Button, copyText } from '../ui/controls/button.tsx'
import { saveFile } from '../ui/controls/save-file.ts'
import { Menu } from '../ui/dialog/menu.tsx'
import { Icon } from '../ui/icon.tsx'
import { countText, exactTime } from '../ui/time/format-time.ts'
import { queryOf } from './log-filters.ts'
import type { LogFilters } from './log-filters.ts'
import type { LogTail, LogView } from './log-tail.ts'

interface NewRecordsButtonProps {
  readonly count: number
  readonly onClick: () => void
}

/** Over the end of a log: shows the records that have come meanwhile, or goes to the newest. */
export function NewRecordsButton({ count, onClick }: NewRecordsButtonProps) {
  return (
    <div className="absolute bottom-2 left-1/2 z-2 -translate-x-1/2">
      <Button onClick={onClick}>
        {count > 0 ? `${countText(count)} new record${count === 1 ? '' : 's'}` : 'Jump to newest'}
      </Button>
    </div>
  )
}

interface LogToolbarProps {
  readonly filters: LogFilters
  readonly tail: LogTail
  readonly view: LogView
  readonly wraps: boolean
  readonly wrap: (wraps: boolean) => void
  readonly grouped: boolean
  readonly group: (grouped: boolean) => void
}

/** Actions on the shown log. */
export function LogToolbar({ filters, tail, view, grouped, group, wraps, wrap }: LogToolbarProps) {
  const { api, toasts } = useServices()
  const [isSaving, setSaving] = useState(false)
  const { paused, newCount, lines = [] } = view
  const pause = () => tail.pause(!paused)
  useKeys([{ keys: 'Space', label: 'Pause or resume updates', group: 'Logs', run: pause }])
  const save = async () => {
    setSaving(true)
    try {
      const { text, count, isTruncated } = await allLogs(api, filters)
      saveFile('agentserver-logs.ndjson', text, 'application/x-ndjson')
      toasts.info(`Exported ${isTruncated ? 'the newest ' : ''}${countText(count)} records`)
    } catch (error) {
      toasts.error(errorMessage(error))
    } finally {
      setSaving(false)
    }
  }
  const copy = () => {
    const texts = lines.map(
      ({ record, count }) =>
        `${exactTime(record.timestamp)} ${record.level} ${record.message}${count > 1 ? ` (×${count})` : ''}`,
    )
    void copyText(texts.join('\n'), toasts)
  }
  return (
    <>
      <label className="flex min-h-6 items-center gap-1.5 text-sm">
        <input type="checkbox" checked={grouped} onChange={(event) => group(event.target.checked)} />
        Group repeats
      </label>
      <label className="flex min-h-6 items-center gap-1.5 text-sm">
        <input type="checkbox" checked={wraps} onChange={(event) => wrap(event.target.checked)} />
        Wrap
      </label>
      <span className="ml-auto flex items-center gap-2">
        <span role="status" className="text-sm text-dim">
          {paused && `${countText(newCount)} new records`}
        </span>
        <Button size="small" onClick={pause} keys="Space">
          <Icon name={paused ? 'play' : 'pause'} />
          {paused ? 'Resume updates' : 'Pause updates'}
        </Button>
        <Menu
          label={isSaving ? 'Exporting…' : 'Export'}
          items={[
            { name: 'Download as NDJSON', run: () => void save(), disabled: isSaving },
            { name: 'Copy lines', run: copy, disabled: lines.length === 0 },
          ]}
        />
      </span>
    </>
  )
}

const PAGE = '1000'

/** Maximum number of records in a file, about 50 MB. */
const MAX_RECORDS = 100_000

/** All matching records as NDJSON, oldest first; only the newest beyond the limit. */
async function allLogs(
  api: Api,
  filters: LogFilters,
): Promise<{ readonly text: string; readonly count: number; readonly isTruncated: boolean }> {
  const records: LogRecord[] = []
  let cursor = ''
  do {
    const query = { ...queryOf(filters), limit: PAGE, ...(cursor !== '' && { cursor }) }
    const { data, headers } = await api.request('listLogs', { query })
    records.push(...data)
    cursor = headers.get('x-next-cursor') ?? ''
  } while (cursor !== '' && records.length < MAX_RECORDS)
  const text = records.toReversed().map((record) => `${JSON.stringify(record)}\n`)
  return { text: text.join(''), count: records.length, isTruncated: cursor !== '' }
}
