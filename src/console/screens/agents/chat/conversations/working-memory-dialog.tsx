import { useState } from 'react'
import { useAction, useEndpoint } from '../../../../api/use-endpoint.ts'
import { errorMessage } from '../../../../api/request-failure.ts'
import { JsonEditor } from '../../../../json/json-editor.tsx'
import { readObject } from '../../../../json/read-object.ts'
import { useServices } from '../../../../services/services-context.tsx'
import { Button } from '../../../../ui/controls/button.tsx'
import { CancelButton } from '../../../../ui/dialog/cancel-button.tsx'
import { Dialog } from '../../../../ui/dialog/dialog.tsx'
import { Pending } from '../../../../ui/state/pending.tsx'

export interface WorkingMemoryDialogProps {
  readonly agentId: string
  readonly userId: string | undefined
  readonly close: () => void
}

/** The working memory of an agent, as JSON that can be edited and deleted. */
export function WorkingMemoryDialog({ agentId, userId, close }: WorkingMemoryDialogProps) {
  const call = { params: { id: agentId }, query: { userId } }
  const { queries } = useServices()
  const { data, error, refetch, isFetchedAfterMount } = useEndpoint('getWorkingMemory', call)
  const save = useAction('putWorkingMemory')
  const remove = useAction('deleteWorkingMemory')
  const [edited, setEdited] = useState<string>()
  const text = edited ?? (data ? JSON.stringify(data, null, 2) : '{}')
  const { value, problem } = readObject(text)
  const failure = save.error ?? remove.error
  const onSuccess = () => {
    close()
    void queries.invalidateQueries({ queryKey: ['getWorkingMemory'] })
  }
  const submit = () => {
    if (value) save.mutate({ ...call, body: value }, { onSuccess })
  }
  const isBusy = save.isPending || remove.isPending
  return (
    <Dialog title="Working memory" close={close} edited={edited !== undefined}>
      <div className="flex w-[36rem] max-w-full flex-col gap-3">
        <p className="text-dim">
          {userId === undefined ? 'What the agent remembers.' : `What the agent remembers of ${userId}.`}
        </p>
        {data === undefined || !isFetchedAfterMount ? (
          <Pending error={error} retry={() => void refetch()} />
        ) : (
          <>
            <JsonEditor
              label="Working memory"
              value={text}
              onChange={setEdited}
              onSubmit={submit}
              error={problem}
            />
            {failure && (
              <p role="alert" className="break-words text-error">
                {errorMessage(failure)}
              </p>
            )}
            <div className="flex justify-end gap-2">
              {data && (
                <Button kind="danger" disabled={isBusy} onClick={() => remove.mutate(call, { onSuccess })}>
                  Delete
                </Button>
              )}
              <CancelButton />
              <Button kind="primary" disabled={isBusy || !value} onClick={submit} keys="Ctrl+Enter">
                Save
              </Button>
            </div>
          </>
        )}
      </div>
    </Dialog>
  )
}
