import { useState } from 'react'
import type { FormEvent } from 'react'
import { errorMessage } from '../../api/request-failure.ts'
import { useAction } from '../../api/use-endpoint.ts'
import { useUnsaved } from '../../form/use-unsaved.ts'
import { JsonEditor } from '../../json/json-editor.tsx'
import { parseJson } from '../../json/parse-json.ts'
import { useLocation } from '../../router/use-location.ts'
import { useServices } from '../../services/services-context.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'

/** A form that sends an event. A link can fill in its name and key. */
export function SendEvent({ sent }: { readonly sent: () => void }) {
  const { toasts } = useServices()
  const { search } = useLocation()
  const [name, setName] = useState(search.get('name') ?? '')
  const [key, setKey] = useState(search.get('key') ?? '')
  const [data, setData] = useState('{}')
  const [problem, setProblem] = useState<string>()
  const [sentData, setSentData] = useState('{}')
  useUnsaved(data !== sentData)
  const send = useAction('sendEvent')
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    const parsed = parseJson(data)
    setProblem(parsed ? undefined : 'Is not valid JSON')
    if (!parsed || name.trim() === '') return
    send.mutate(
      { body: { name: name.trim(), ...(key !== '' && { key }), data: parsed.value } },
      {
        onSuccess: ({ resumed, started, cancelled }) => {
          setSentData(data)
          const [first] = [...resumed, ...started, ...cancelled]
          const counts = [
            resumed.length > 0 && `${executions(resumed)} resumed`,
            started.length > 0 && `${executions(started)} started`,
            cancelled.length > 0 && `${executions(cancelled)} cancelled`,
          ].filter((count) => count !== false)
          if (first === undefined) toasts.info('Event stored: nobody waits for it yet')
          else toasts.info(counts.join(', '), { to: `executions/${encodeURIComponent(first)}`, text: 'Open' })
        },
        onError: (failure) => setProblem(errorMessage(failure)),
        onSettled: sent,
      },
    )
  }
  return (
    <section
      aria-label="Send an event"
      className="shrink-0 border-line p-4 max-lg:border-b lg:w-80 lg:overflow-auto lg:border-l"
    >
      <h2 className="pb-2 font-semibold">Send an event</h2>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField label="Name" value={name} onChange={setName} />
        <TextField label="Key (optional)" value={key} onChange={setKey} />
        <JsonEditor label="Data" value={data} onChange={setData} onSubmit={() => submit()} error={problem} />
        <div>
          <Button kind="primary" type="submit" disabled={send.isPending || name.trim() === ''}>
            Send
          </Button>
        </div>
      </form>
    </section>
  )
}

function executions({ length }: readonly string[]): string {
  return length === 1 ? '1 execution' : `${length} executions`
}
