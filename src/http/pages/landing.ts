import { CONSOLE_PATH } from '../../contract/endpoints/pages.ts'
import { ENDPOINTS } from '../../contract/index.ts'
import { escapeHtml } from './escape-html.ts'
import type { Document } from '../reply/reply.ts'
import type { ServedGeneration } from '../services.ts'

const CSP =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d9dce1, #33373d); --dim: light-dark(#5a616b, #9aa2ad); }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 4rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.35rem; margin: 0; } h2 { font-size: 1rem; margin: 2rem 0 .5rem; }
p, td:last-child { color: var(--dim); } code { font: .9em ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; } td { border-top: 1px solid var(--line); padding: .4rem .75rem .4rem 0; vertical-align: top; }
`

export interface LandingOptions {
  readonly version: string
  readonly explorer: boolean
  readonly console: boolean
  readonly served: ServedGeneration
}

/** The page at `/`: links and the list of workflows. */
export function landingPage(options: LandingOptions): Document {
  const { version, explorer, console, served } = options
  const workflows = served.registry
    .list()
    .filter(({ definition: { id } }) => served.registry.servesWorkflow(id))
    .map(({ definition: { id, name, purpose } }) => [id, purpose || name])
  const links = [
    ...(console ? [link(CONSOLE_PATH, 'Console')] : []),
    ...(explorer ? [link(ENDPOINTS.getApiExplorer.path, 'API explorer')] : []),
    link(ENDPOINTS.getApiDescription.path, 'OpenAPI description'),
    link(ENDPOINTS.listWorkflows.path, 'Workflows'),
    link(ENDPOINTS.listExecutions.path, 'Executions'),
  ]
  const body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>agentserver</title><style>${STYLE}</style></head>
<body><main>
<h1>agentserver</h1>
<p>Version ${escapeHtml(version)} · ${links.join(' · ')}</p>
<h2>Workflows</h2>
${workflows.length > 0 ? table(workflows) : '<p>The configuration declares no workflows.</p>'}
</main></body></html>
`
  return { body, type: 'text/html; charset=utf-8', headers: { 'Content-Security-Policy': CSP } }
}

/** A relative link, which also works below the prefix of a proxy. */
function link(path: string, text: string): string {
  return `<a href=".${path}">${text}</a>`
}

function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map(
    ([id = '', text = '']) => `<tr><td><code>${escapeHtml(id)}</code></td><td>${escapeHtml(text)}</td></tr>`,
  )
  return `<table>${cells.join('')}</table>`
}
