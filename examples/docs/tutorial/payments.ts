/** The payments that were made, by their idempotency keys. */
export const made = new Map<string, number>()

/** Stands for a payment service: a payment with a key that it knows is not made again. It forgets all at a restart. */
export const payments = {
  pay: async (amount: number, { idempotencyKey }: { idempotencyKey: string }) => {
    if (!made.has(idempotencyKey)) made.set(idempotencyKey, amount)
    return { reference: idempotencyKey }
  },
}
