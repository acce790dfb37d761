import fs from 'node:fs'
import { createRequire } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import { andThen, createAgent, createWorkflow, demoModel } from 'agentserver'
import type * as Hooks from 'agentserver/react'
import type { Listening } from 'agentserver/server'
import type * as React from 'react'
import type * as ReactDom from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { expense } from '../../examples/docs/expense.ts'
import { TestServer } from '../support/server/test-server.ts'
import { until } from '../support/until.ts'

// its declarations would bring those of the DOM to all tests
const { JSDOM } = createRequire(import.meta.url)('jsdom') as {
  JSDOM: new (
    html: string,
    options: object,
  ) => {
    readonly window: {
      readonly document: object
      readonly navigator: object
    }
  }
}

const realFetch = globalThis.fetch
const approve = createWorkflow({ id: 'approve', inputSchema: z.object({ amount: z.number() }) }).andThen({
  id: 'ask',
  resumeSchema: z.object({ by: z.string() }),
  execute: ({ data, resumeData, suspend }) =>
    resumeData ? { paid: data.amount, by: resumeData.by } : suspend('manager'),
})
const broken = createWorkflow(
  { id: 'broken' },
  andThen({
    id: 'break',
    execute: () => {
      throw new Error('no luck')
    },
  }),
)
const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Answer.', model: demoModel() })

let server: TestServer
let listening: Listening
let react: typeof React
let reactDom: typeof ReactDom
let hooks: typeof Hooks

/** What the page has requested, and whether its requests reach the server. */
const network = { requests: [] as string[], isUp: true, streams: new Set<AbortController>() }

const fetchOfPage = async (request: Request): Promise<Response> => {
  network.requests.push(`${request.method} ${new URL(request.url).pathname}`)
  if (!network.isUp) throw new TypeError('fetch failed')
  const cut = new AbortController()
  network.streams.add(cut)
  return fetch(request, { signal: AbortSignal.any([cut.signal, request.signal]) })
}

beforeAll(async () => {
  server = new TestServer({ workflows: [approve, broken, expense], agents: [clerk] })
  listening = await server.listen()
  const { window } = new JSDOM('', { url: listening.url })
  vi.stubGlobal('window', window)
  vi.stubGlobal('document', window.document)
  vi.stubGlobal('navigator', window.navigator)
  // React looks for the window when it is loaded
  react = await import('react')
  reactDom = await import('react-dom/client')
  hooks = await import('agentserver/react')
})
afterAll(async () => {
  vi.unstubAllGlobals()
  await server.close()
})
beforeEach(() => {
  Object.assign(network, { requests: [], isUp: true, streams: new Set() })
})

/** Renders a component that calls a hook below a provider; `shown` has what the hook has returned last. */
function render<T>(hook: () => T) {
  const shown: { value?: T; renders: number } = { renders: 0 }
  const Shower = () => {
    shown.value = hook()
    shown.renders++
    return null
  }
  const root = reactDom.createRoot(document.createElement('div'))
  const { createElement: h, StrictMode } = react
  const show = (child: React.ReactNode) =>
    root.render(
      h(
        StrictMode,
        null,
        h(hooks.AgentServerProvider, { url: listening.url, fetch: fetchOfPage, children: child }),
      ),
    )
  show(h(Shower))
  onTestFinished(async () => {
    root.unmount()
    await setImmediate()
  })
  const now = () => shown.value as T
  return {
    now,
    until: async (what: (value: T) => boolean) => {
      await until(
        () => shown.value !== undefined && what(shown.value),
        () => JSON.stringify(shown.value),
      )
      return now()
    },
    unmount: () => show(null),
    mount: () => show(h(Shower)),
  }
}

declare const document: { createElement(name: string): Element & PageElement }

interface PageElement {
  readonly textContent: string
  querySelector(selector: string): { click(): void } | null
}

test('a workflow is started, resumed and shown until its result', async () => {
  const page = render(() => hooks.useWorkflow('approve'))
  await page.until(({ status }) => status === undefined)
  const id = await page.now().start({ amount: 7 })
  const { suspension, executionId } = await page.until(({ status }) => status === 'suspended')
  expect([executionId, suspension?.stepId, suspension?.reason]).toEqual([id, 'ask', 'manager'])
  await page.now().resume({ by: 'Ada' })
  const ended = await page.until(({ status, isConnected }) => status === 'completed' && !isConnected)
  expect(ended.result).toEqual({ paid: 7, by: 'Ada' })
  expect(ended.events.map(({ type }) => type)).toContain('step-complete')
})

test('its stream goes on after a lost connection, without an event twice', async () => {
  const page = render(() => hooks.useWorkflow('approve'))
  await page.until(() => true)
  const executionId = await page.now().start({ amount: 8 })
  await page.until(({ status }) => status === 'suspended')
  network.isUp = false
  for (const stream of network.streams) stream.abort()
  await page.until(({ isConnected }) => !isConnected)
  await server.post(`/workflows/approve/executions/${executionId}/resume`, { resumeData: { by: 'Bob' } })
  network.isUp = true
  const { events, result } = await page.until(({ status }) => status === 'completed')
  expect(result).toEqual({ paid: 8, by: 'Bob' })
  const recorded = events.map((event) => (event as { sequence?: number }).sequence ?? 0).filter(Boolean)
  expect(recorded).toEqual([...new Set(recorded)])
})

test('a new mount follows what was started before, and an unmounted component follows nothing', async () => {
  const page = render(() => hooks.useWorkflow('approve', { key: 'again' }))
  await page.until(() => true)
  const executionId = await page.now().start({ amount: 9 })
  await page.until(({ status }) => status === 'suspended')
  page.unmount()
  await server.post(`/workflows/approve/executions/${executionId}/resume`, { resumeData: { by: 'Eve' } })
  const before = network.requests.length
  page.mount()
  const { result } = await page.until(({ status }) => status === 'completed')
  expect(result).toEqual({ paid: 9, by: 'Eve' })
  expect(network.requests.slice(before)).toContain(`GET /workflows/approve/executions/${executionId}/stream`)
})

test('a failed execution has its failure, and one that does not exist an error', async () => {
  const page = render(() => hooks.useWorkflow('broken'))
  await page.until(() => true)
  await page.now().start({})
  const { failure } = await page.until(({ status }) => status === 'error')
  expect(failure).toMatchObject({ message: 'no luck', stepId: 'break' })
  const unknown = render(() => hooks.useExecution({ workflowId: 'approve', executionId: 'none' }))
  const { error } = await unknown.until((state) => state.error !== undefined)
  expect(error).toMatchObject({ name: 'ApiError', status: 404 })
})

test('the example of the guide shows what the guide says', async () => {
  const { App } = await import('../../examples/docs/react/expense.tsx')
  vi.stubGlobal('fetch', (request: Request) =>
    realFetch(new Request(request.url.replace('http://localhost:3141', listening.url), request)),
  )
  onTestFinished(() => void vi.stubGlobal('fetch', realFetch))
  const page = document.createElement('div')
  const root = reactDom.createRoot(page)
  onTestFinished(() => root.unmount())
  root.render(react.createElement(App))
  const shown: string[] = []
  const next = async (pattern: RegExp) => {
    await until(
      () => pattern.test(page.textContent),
      () => page.textContent,
    )
    shown.push(page.textContent)
    const button = page.querySelector('button')
    button?.click()
  }
  for (const pattern of [/^Claim$/, /^Approve/, /paid/]) await next(pattern)
  const guide = fs.readFileSync(new URL('../../docs/guides/react.md', import.meta.url), 'utf8')
  const [, said = ''] = /^```text\n(.*?)\n```$/ms.exec(guide) ?? []
  const withoutId = (text: string) => text.replace(/"reference":"[^"]*:/, '"reference":"')
  expect(shown.map(withoutId)).toEqual(
    said
      .split('\n')
      .filter((line) => line !== 'running')
      .map(withoutId),
  )
})

test('a refused input rejects the start', async () => {
  const page = render(() => hooks.useWorkflow('approve'))
  await page.until(() => true)
  await expect(page.now().start({ amount: 'much' })).rejects.toMatchObject({ status: 400 })
})

test('a conversation is shown, continued and kept', async () => {
  const options = { agentId: 'clerk', conversationId: 'c-1', userId: 'ada' }
  const page = render(() => hooks.useConversation(options))
  await page.until(({ status }) => status === 'ready')
  await page.now().send('Hello')
  const { messages } = await page.until((state) => state.status === 'ready' && state.messages.length === 2)
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  const again = render(() => hooks.useConversation(options))
  expect((await again.until(({ status }) => status === 'ready')).messages).toHaveLength(2)
})

test('rendering on a server requests nothing', () => {
  const { createElement: h } = react
  const Page = () => {
    const { status } = hooks.useWorkflow('approve')
    const execution = hooks.useExecution({ workflowId: 'approve', executionId: 'e-1' })
    const chat = hooks.useConversation({ agentId: 'clerk', conversationId: 'c-2' })
    return h('p', null, `${status} ${execution.status} ${chat.status}`)
  }
  const html = renderToString(h(hooks.AgentServerProvider, { url: '/agents', fetch: fetchOfPage }, h(Page)))
  expect(html).toBe('<p>undefined undefined loading</p>')
  expect(network.requests).toEqual([])
})

test('the hooks need a provider', () => {
  const Page = () => {
    hooks.useAgentServer()
    return null
  }
  expect(() => renderToString(react.createElement(Page))).toThrow('<AgentServerProvider url="…">')
})
