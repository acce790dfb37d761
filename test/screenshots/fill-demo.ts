const SKUS = ['mug', 'shirt', 'lamp'] as const
const QUESTIONS = [
  'Where is my order A-1042?',
  'Can I still change the address?',
  'How long does shipping take?',
]

/** Ids of executions of the demo: a completed and a suspended one, and the trace of the first. */
export interface DemoData {
  readonly shipped: string
  readonly waiting: string
  readonly traceId: string
}

/** Runs the workflows and agents of the demo. */
export async function fillDemo(url: string): Promise<DemoData> {
  const order = (orderId: string, who: string, sku: string, quantity: number) =>
    post(url, '/workflows/order/execute', {
      input: { orderId, email: `${who}@example.com`, items: [{ sku, quantity }] },
    })
  for (let index = 0; index < 24; index++)
    await order(`A-${1040 + index}`, 'ada', SKUS[index % SKUS.length] ?? 'mug', 1 + (index % 4))
  await order('A-1064', 'grace', 'chair', 1)
  await order('A-1065', 'lin', 'desk', 9)
  const shipped = await order('A-1066', 'ada', 'lamp', 2)
  const waiting = await order('A-1067', 'alan', 'desk', 2)
  await order('A-1068', 'joan', 'desk', 3)
  for (const input of QUESTIONS)
    await post(url, '/agents/support/text', { input, options: { conversationId: 'desk-7', userId: 'ada' } })
  const response = await fetch(`${url}/observability/executions/${shipped}`)
  const { data } = (await response.json()) as { data: { metadata: { traceId: string } } }
  return { shipped, waiting, traceId: data.metadata.traceId }
}

/** Posts a request and returns the execution id, if any. */
async function post(url: string, path: string, body: unknown): Promise<string> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { data } = (await response.json()) as { data?: { executionId?: string } }
  return data?.executionId ?? response.headers.get('x-execution-id') ?? ''
}
