import { setTimeout as sleep } from 'node:timers/promises'
import { NonRetryableError } from 'agentserver'

export interface Product {
  readonly sku: string
  readonly name: string
  readonly priceCents: number
  readonly stock: number
  readonly grams: number
}

export interface OrderLine extends Product {
  readonly quantity: number
}

const PRODUCTS: readonly Product[] = [
  { sku: 'mug', name: 'Mug', priceCents: 1250, stock: 500, grams: 350 },
  { sku: 'shirt', name: 'T-shirt', priceCents: 2400, stock: 120, grams: 200 },
  { sku: 'lamp', name: 'Desk lamp', priceCents: 8900, stock: 40, grams: 1800 },
  { sku: 'desk', name: 'Standing desk', priceCents: 64_000, stock: 6, grams: 32_000 },
]

/** Throws a NonRetryableError for an unknown product, because a retry would not help. */
export function findProduct(sku: string): Product {
  const product = PRODUCTS.find((candidate) => candidate.sku === sku)
  if (!product) throw new NonRetryableError(`Unknown product "${sku}"`)
  return product
}

export async function reserveStock(lines: readonly OrderLine[]): Promise<{ reserved: number }> {
  await sleep(5)
  const short = lines.find(({ quantity, stock }) => quantity > stock)
  if (short) throw new NonRetryableError(`Only ${short.stock} of "${short.sku}" are in stock`)
  return { reserved: lines.reduce((sum, { quantity }) => sum + quantity, 0) }
}

/** Packs one item of an order, and returns its weight. */
export async function pack({ sku, quantity }: { sku: string; quantity: number }): Promise<{ grams: number }> {
  await sleep(2)
  return { grams: findProduct(sku).grams * quantity }
}
