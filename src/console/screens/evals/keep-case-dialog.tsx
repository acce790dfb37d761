import { Failure } from '../../ui/state/error-view.tsx'
import { useState } from 'react'
import { ApiError } from '../../../client/api-error.ts'
import type { KeptCase } from '../../../contract/endpoints/project/kept-cases.ts'
import type { Case } from '../../../contract/evals/case.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { useAction, useEndpoint } from '../../api/use-endpoint.ts'
import { useEditorLink } from '../../code/editor-link.ts'
import { JsonEditor } from '../../json/json-editor.tsx'
import { readObject } from '../../json/parse-json.ts'
import { CodeBlock } from '../../markdown/code-block.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { CancelButton, Dialog } from '../../ui/dialog/dialog.tsx'
import { Pending } from '../../ui/state/states.tsx'

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
      <Failure text={failure} />
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

/** An execution, or a run of an agent. */
type RunToKeep = { readonly executionId: string } | { readonly id: string; readonly runId: string }

/** The case of a run, and how to write it. */
function useKeptCase(run: RunToKeep) {
  const isExecution = 'executionId' in run
  const ofExecution = { params: isExecution ? run : { executionId: '' } }
  const ofAgent = { params: isExecution ? { id: '', runId: '' } : run }
  const execution = useEndpoint('getExecutionCase', ofExecution, { enabled: isExecution })
  const agent = useEndpoint('getAgentRunCase', ofAgent, { enabled: !isExecution })
  const keepExecution = useAction('keepExecutionCase')
  const keepAgent = useAction('keepAgentRunCase')
  const { data: kept, error, refetch } = isExecution ? execution : agent
  const { data: written, isPending, error: failure } = isExecution ? keepExecution : keepAgent
  const [found, setFound] = useState<string>()
  const taken = found ?? (kept?.exists === true ? kept.path : undefined)
  const keep = (path: string, content: Case) => {
    const body = { case: content, path, overwrite: path === taken }
    const onError = (problem: Error) => {
      if (isTaken(problem, path)) setFound(path)
    }
    if (isExecution) keepExecution.mutate({ ...ofExecution, body }, { onError })
    else keepAgent.mutate({ ...ofAgent, body }, { onError })
  }
  return {
    kept,
    written,
    error,
    refetch: () => void refetch(),
    keep,
    isPending,
    failure: failure ? errorMessage(failure) : undefined,
    /** Path of a file that exists. */
    taken,
  }
}

function isTaken(error: Error, path: string): boolean {
  return error instanceof ApiError && error.status === 409 && error.message === `${path} exists`
}

/** Where a case was written, and how to run it. */
function WrittenCase({ path, close }: { readonly path: string; readonly close: () => void }) {
  const link = useEditorLink({ file: path, line: 1, column: 1 })
  return (
    <>
      <p role="status">
        Wrote <code className="break-all font-mono">{path}</code>
      </p>
      <CodeBlock text={`agentserver eval ${path}`} language="bash" />
      <div className="flex items-center justify-end gap-3">
        {link && (
          <a href={link.href} className="text-accent hover:underline">
            Open in {link.name}
          </a>
        )}
        <Button onClick={close}>Close</Button>
      </div>
    </>
  )
}
