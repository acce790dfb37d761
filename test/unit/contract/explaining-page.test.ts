import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { pageOfLoadFailure, pageOfRunError } from '../../../src/contract/explaining-page.ts'

const LOAD = [
  { name: 'ResolveError', message: 'Cannot find ./a.ts' },
  { name: 'ConfigError', message: 'agentserver.config.ts has no default export' },
  { name: 'ConfigError', message: 'Invalid configuration' },
  { name: 'SyntaxError', message: 'Unexpected token' },
]
const RUN = [
  'Error',
  'NotJsonError',
  'CrashLoopError',
  'StepTimeoutError',
  'WorkflowTimeoutError',
  'EventTimeoutError',
  'BudgetExceededError',
  'ApprovalRequiredError',
  'LoopLimitError',
  'DuplicateStepError',
  'UnstableIdsError',
]
const PAGES = [
  ...LOAD.map((failure) => pageOfLoadFailure(failure)),
  ...RUN.map((name) => pageOfRunError({ name })),
]

it.each([...new Set(PAGES)])('the page that explains an error exists, with its heading: %s', (place) => {
  const [page = '', anchor] = place.split('#')
  const text = readFileSync(new URL(`../../../${page}`, import.meta.url), 'utf8')
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
  expect(anchor === undefined ? [undefined] : headings).toContain(anchor)
})

it('an error of the code leads to the page of failed executions, and a known one to its own', () => {
  expect(pageOfRunError({ name: 'TypeError' })).toBe('docs/troubleshooting.md#execution-failed')
  expect(pageOfRunError({ name: 'NotJsonError' })).toBe('docs/troubleshooting.md#result-is-not-json')
})
