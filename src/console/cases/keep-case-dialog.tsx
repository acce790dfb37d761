import { useState } from 'react'
import type { KeptCase } from '../../contract/endpoints/project/kept-cases.ts'
import { CodeBlock } from '../markdown/code-block.tsx'
import { readObject } from '../json/read-object.ts'
import { JsonEditor } from '../json/json-editor.tsx'
import { Button } from '../ui/controls/button.tsx'
import { CancelButton } from '../ui/dialog/cancel-button.tsx'
import { Dialog } from '../ui/dialog/dialog.tsx'
import { Pending } from '../ui/state/pending.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { useKeptCase } from './use-kept-case.ts'
import type { RunToKeep } from './use-kept-case.ts'
import { WrittenCase } from './written-case.tsx'

export interface KeepCaseDialogProps {
  readonly run: RunToKeep
  readonly close: () => void
}

/** Keeps a run as a case: shows the file, lets the user edit it, and writes it in the project. */
export function KeepCaseDialog({ run, close }: KeepCaseDialogProps) {
  const { kept, written, error, refetch, ...keeping } = useKeptCase(run)
  const [edited, setEdited] = useState<Draft>()
  return (
    <Dialog title="Keep as case" close={close} edited={edited !== undefined && !written}>
      <div className="flex w-[44rem] max-w-full flex-col gap-3">
        {written ? (
          <WrittenCase path={written.path} close={close} />
        ) : !kept ? (
          <Pending error={error} retry={refetch} />
        ) : !kept.writable ? (
          <NotWritable kept={kept} />
        ) : (
          <CaseForm
            kept={kept}
            draft={edited ?? { path: kept.path, text: JSON.stringify(kept.case, null, 2) }}
            change={setEdited}
            {...keeping}
          />
        )}
      </div>
    </Dialog>
  )
}

interface Draft {
  readonly path: string
  readonly text: string
}

interface CaseFormProps extends Pick<
  ReturnType<typeof useKeptCase>,
  'keep' | 'isPending' | 'failure' | 'taken'
> {
  readonly kept: KeptCase
  readonly draft: Draft
  readonly change: (draft: Draft) => void
}

function CaseForm({ kept, draft, change, keep, isPending, failure, taken }: CaseFormProps) {
  const { path, text } = draft
  const { value, problem } = readObject(text)
  const isTaken = path === taken
  const send = () => {
    if (value) keep(path, value as KeptCase['case'])
  }
  return (
    <>
      <Hints hints={kept.hints} />
      <TextField
        label="File"
        value={path}
        onChange={(next) => change({ path: next, text })}
        hint="cases/<name>/<id>.json, in the project"
        error={isTaken ? 'This file exists' : undefined}
      />
      <TextField
        label="Note"
        value={typeof value?.['note'] === 'string' ? value['note'] : ''}
        placeholder="What the case checks, for readers"
        onChange={(note) => {
          const { note: _, ...rest } = value ?? {}
          if (value) change({ path, text: JSON.stringify(note === '' ? rest : { ...rest, note }, null, 2) })
        }}
      />
      <div>
        <div className="pb-0.5 text-sm text-dim">Content: change what is expected, or add rules</div>
        <JsonEditor
          label="Content of the file"
          value={text}
          onChange={(next) => change({ path, text: next })}
          onSubmit={send}
          error={problem}
        />
      </div>
      {failure !== undefined && (
        <p role="alert" className="break-words text-error">
          {failure}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <CancelButton />
        <Button kind={isTaken ? 'danger' : 'primary'} onClick={send} disabled={isPending || !value}>
          {isTaken ? 'Replace file' : 'Write file'}
        </Button>
      </div>
    </>
  )
}

/** The file to copy, where the server does not write to the project. */
function NotWritable({ kept }: { readonly kept: KeptCase }) {
  return (
    <>
      <p>
        This server does not write to the project: that is left to{' '}
        <code className="font-mono">agentserver dev</code>. Copy the case to{' '}
        <code className="break-all font-mono">{kept.path}</code>.
      </p>
      <Hints hints={kept.hints} />
      <CodeBlock text={JSON.stringify(kept.case, null, 2)} language="json" />
      <div className="flex justify-end">
        <CancelButton>Close</CancelButton>
      </div>
    </>
  )
}

function Hints({ hints }: Pick<KeptCase, 'hints'>) {
  return hints.map((hint) => (
    <p key={hint} className="text-dim">
      {hint}.
    </p>
  ))
}
