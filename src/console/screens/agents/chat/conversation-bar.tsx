import { Failure } from '../../../ui/state/error-view.tsx'
import { useState } from 'react'
import type { AgentDetail } from '../../../../contract/endpoints/agent.ts'
import { errorMessage } from '../../../api/request-failure.ts'
import { useAction, useEndpoint } from '../../../api/use-endpoint.ts'
import { JsonEditor } from '../../../json/json-editor.tsx'
import { readObject } from '../../../json/parse-json.ts'
import { useServices } from '../../../services/services-context.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { CancelButton, Dialog } from '../../../ui/dialog/dialog.tsx'
import { escapeHidden } from '../../../ui/escape-text.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Pending } from '../../../ui/state/states.tsx'
import type { Conversation } from './session/conversations.ts'
import type { OpenDialog } from './conversation-dialog.tsx'

export interface ConversationBarProps {
  readonly agent: AgentDetail
  /** The open conversation, once it is listed. */
  readonly conversation: Conversation | undefined
  /** The user whose working memory is shown; default: the authenticated one. */
  readonly userId: string | undefined
  readonly open: (dialog: OpenDialog) => void
}

/** The title of the open conversation, and what can be done with it. */
export function ConversationBar({ agent, conversation, userId, open }: ConversationBarProps) {
  const [showsMemory, setShowsMemory] = useState(false)
  const stored = conversation?.isStored === true ? conversation : undefined
  if (!agent.memory) return null
  const title = escapeHidden(conversation?.title ?? 'New conversation')
  return (
    <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-1">
      <h2 className="min-w-0 flex-1 basis-32 truncate font-semibold" title={title}>
        {title}
      </h2>
      {agent.workingMemory && (
        <Button size="small" onClick={() => setShowsMemory(true)}>
          Working memory
        </Button>
      )}
      {stored && (
        <>
          <Button size="small" onClick={() => open({ kind: 'rename', conversation: stored })}>
            <Icon name="edit" /> Rename
          </Button>
          <Button size="small" kind="danger" onClick={() => open({ kind: 'delete', conversation: stored })}>
            Delete
          </Button>
        </>
      )}
      {showsMemory && (
        <WorkingMemoryDialog agentId={agent.id} userId={userId} close={() => setShowsMemory(false)} />
      )}
    </div>
  )
}

interface WorkingMemoryDialogProps {
  readonly agentId: string
  readonly userId: string | undefined
  readonly close: () => void
}

/** The working memory of an agent, as JSON that can be edited and deleted. */
function WorkingMemoryDialog({ agentId, userId, close }: WorkingMemoryDialogProps) {
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
            <Failure text={failure ? errorMessage(failure) : undefined} />
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
