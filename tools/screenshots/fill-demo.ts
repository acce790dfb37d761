const SKUS = ['mug', 'shirt', 'lamp'] as const
const QUESTIONS = [
  'Where is my order A-1042?',
  'Can I still change the address?',
  'How long does shipping take?',
]
const SUPPLIERS = ['northwind', 'contoso', 'fabrikam', 'litware', 'adatum'] as const

/** Ids of executions of the demo, the trace of the one that was shipped, and that of an answer with a calculation. */
export interface DemoData {
  readonly shipped: string
  readonly failed: string
  readonly waiting: string
  readonly traceId: string
  readonly calculation: string
}

/** Runs the workflows and agents of the demo. */
export async function fillDemo(url: string): Promise<DemoData> {
  const execute = async (workflow: string, input: unknown, headers?: Readonly<Record<string, string>>) => {
    const { executionId = '' } = await post(url, `/workflows/${workflow}/execute`, { input }, headers)
    return executionId
  }
  const order = (orderId: string, who: string, sku: string, quantity: number) =>
    execute('order', { orderId, email: `${who}@example.com`, items: [{ sku, quantity }] })
  for (let index = 0; index < 24; index++)
    await order(`A-${1040 + index}`, 'ada', SKUS[index % SKUS.length] ?? 'mug', 1 + (index % 4))
  await order('A-1064', 'grace', 'chair', 1)
  const failed = await order('A-1065', 'lin', 'desk', 9)
  const shipped = await order('A-1066', 'ada', 'lamp', 2)
  const waiting = await order('A-1067', 'alan', 'desk', 2)
  await order('A-1068', 'joan', 'desk', 3)
  for (const orderId of ['A-1066', 'A-1063', 'A-1062']) {
    await execute('invoice', { orderId, cents: 18_400 })
    await execute('follow-up', { orderId })
  }
  for (const supplier of SUPPLIERS)
    await execute(
      'import-catalogue',
      { supplier, urgent: supplier === 'adatum' },
      { Prefer: 'respond-async' },
    )
  for (const input of QUESTIONS)
    await post(url, '/agents/support/text', { input, options: { conversationId: 'desk-7', userId: 'ada' } })
  const { traceId: calculation = '' } = await post(url, '/agents/clerk/text', {
    input: 'What is 12 * (34.5 + 6.75)?',
    options: { conversationId: 'till-2', userId: 'ada' },
  })
  const response = await fetch(`${url}/observability/executions/${shipped}`)
  const { data } = (await response.json()) as { data: { metadata: { traceId: string } } }
  return { shipped, failed, waiting, traceId: data.metadata.traceId, calculation }
}

interface Started {
  readonly executionId?: string
  readonly traceId?: string
}

async function post(
  url: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const { data } = (await response.json()) as { readonly data?: Started }
  return { executionId: response.headers.get('x-execution-id') ?? '', ...data }
}
