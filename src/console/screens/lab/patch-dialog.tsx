import { useQuery } from '@tanstack/react-query'
import { CodeBlock } from '../../markdown/code-block.tsx'
import { useServices } from '../../services/services-context.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { Pending } from '../../ui/state/pending.tsx'

export interface PatchDialogProps {
  readonly agentId: string
  readonly instructions: string
  readonly close: () => void
}

/** The change of the source file that gives the agent the instructions of a column. */
export function PatchDialog({ agentId, instructions, close }: PatchDialogProps) {
  const { api } = useServices()
  const { data, error, refetch } = useQuery({
    queryKey: ['patchInstructions', agentId, instructions],
    queryFn: ({ signal }) =>
      api.call('patchInstructions', { params: { id: agentId }, body: { instructions }, signal }),
  })
  return (
    <Dialog title="Instructions as a patch" close={close}>
      <div className="flex w-[48rem] max-w-full flex-col gap-2">
        {!data && <Pending error={error} retry={() => void refetch()} />}
        {data && typeof data.patch === 'string' && (
          <>
            <p className="text-dim">
              Copy it, and apply it in the project with <code className="font-mono">git apply</code>.
            </p>
            <CodeBlock text={data.patch} language="diff" />
          </>
        )}
        {data?.patch === null && (
          <>
            <p>There is no patch. {data.reason}.</p>
            <CodeBlock text={instructions} language="" />
          </>
        )}
      </div>
    </Dialog>
  )
}
