import type { ToolSummary } from '../../../contract/endpoints/tool.ts'
import { clientCode, curlCode, credentialFor, shellQuote, fetchCode } from '../../code/request-code.ts'
import { CodeTabs } from '../../code/code-tabs.tsx'
import { SchemaForm } from '../../form/schema-form.tsx'
import { useForm, useUnsaved } from '../../form/use-form.ts'
import { useCopyKeys, useKeys } from '../../keys/use-keys.ts'
import { useServices } from '../../services/services-context.tsx'
import type { Services } from '../../services/services.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { ToolRunner } from './use-tool-run.ts'

export interface ToolFormProps {
  readonly tool: ToolSummary
  readonly initial: unknown
  readonly runner: ToolRunner
  readonly run: (input: unknown) => void
  /** Message of the last error. */
  readonly validationMessage: string | undefined
}

/** The input of a tool as form or JSON, and the call as code. */
export function ToolForm({ tool, initial, runner, run, validationMessage }: ToolFormProps) {
  const services = useServices()
  const form = useForm(tool.inputSchema, initial)
  useUnsaved(form.unsaved)
  const { value, problem } = form.read()
  const isRunning = runner.since !== undefined
  const send = () => {
    if (!isRunning) form.submit((input) => run(input ?? {}))
  }
  const codes = toolCodes(services, { name: tool.name, input: value ?? {} })
  useKeys([
    { keys: 'mod+Enter', label: 'Run', group: 'Tool', run: send },
    { keys: 'Escape', label: 'Stop', group: 'Tool', whileTyping: true, run: runner.stop },
  ])
  useCopyKeys('Tool', () => codes.curl)
  return (
    <div className="flex flex-col gap-3">
      <SchemaForm
        form={form}
        label="Input"
        root="input"
        validationMessage={validationMessage}
        onSubmit={send}
      />
      <div className="flex items-center gap-2">
        <Button kind="primary" onClick={send} disabled={isRunning || problem !== undefined} keys="Ctrl+Enter">
          <Icon name="play" /> Run
        </Button>
        {isRunning && (
          <Button onClick={runner.stop} keys="Esc">
            <Icon name="stop" /> Stop
          </Button>
        )}
      </div>
      <details>
        <summary className="text-sm text-dim">Show code</summary>
        <div className="pt-2">
          <CodeTabs
            label="Code for"
            codes={{ curl: codes.curl, CLI: codes.cli, fetch: codes.fetch, client: codes.client }}
          />
        </div>
      </details>
    </div>
  )
}

/** A tool call as curl, CLI, fetch and client code. */
function toolCodes(
  { api, credentials, addresses }: Services,
  { name, input }: { readonly name: string; readonly input: unknown },
) {
  const params = { name }
  const credential = credentialFor(credentials, 'token')
  const url = api.urlOf('executeTool', { params })
  const request = { method: 'POST', url, body: JSON.stringify({ input }), credential }
  return {
    curl: curlCode(request),
    cli: `npx agentserver run-tool ${shellQuote(name)} --input ${shellQuote(JSON.stringify(input))}`,
    fetch: fetchCode(request),
    client: clientCode({
      key: 'executeTool',
      call: { params, body: { input } },
      isStream: false,
      baseUrl: new URL(addresses.api, addresses.origin).href,
      credential,
    }),
  }
}
