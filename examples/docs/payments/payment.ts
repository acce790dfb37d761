import { andThen, NonRetryableError, type StepContext } from 'agentserver'

export const pay = andThen({
  id: 'pay',
  retries: { limit: 5, delayMs: 200 },
  timeoutMs: 10_000,
  execute: async ({ data, idempotencyKey, signal }: StepContext<{ amount: number }>) => {
    const response = await fetch('https://payments.example/charges', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
      body: JSON.stringify({ amount: data.amount }),
      signal,
    })
    if (response.status === 402) throw new NonRetryableError('The card was declined')
    if (!response.ok) throw new Error(`The payment provider responded with ${response.status}`)
    return { ...data, paid: true }
  },
})
