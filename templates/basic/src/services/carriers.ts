import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OrderLine } from './catalogue.ts'

// Two simulated carriers. They accept a signal, so that the loser of a race stops working.

export interface Quote {
  readonly carrier: string
  readonly cents: number
}

export async function quoteSwift(lines: readonly OrderLine[], signal: AbortSignal): Promise<Quote> {
  await sleep(5, undefined, { signal })
  return { carrier: 'Swift', cents: 490 + 60 * pieces(lines) }
}

export async function quoteParcel(lines: readonly OrderLine[], signal: AbortSignal): Promise<Quote> {
  await sleep(40, undefined, { signal })
  return { carrier: 'Parcel', cents: 390 + 80 * pieces(lines) }
}

export async function printLabel(
  order: { orderId: string; carrier: string; grams: number },
  signal: AbortSignal,
): Promise<string> {
  await sleep(5, undefined, { signal })
  const digest = createHash('sha256').update(`${order.carrier}/${order.orderId}`).digest('hex')
  return `${order.carrier.slice(0, 2).toUpperCase()}-${digest.slice(0, 8).toUpperCase()}`
}

export async function bookPickup(_carrier: string, signal: AbortSignal): Promise<void> {
  await sleep(5, undefined, { signal })
}

function pieces(lines: readonly OrderLine[]): number {
  return lines.reduce((sum, { quantity }) => sum + quantity, 0)
}
