/** The payments that were made, by their idempotency keys. */
export const made = new Map<string, number>()

/** Stands for a payment service: a payment with a key that it knows is not made again. */
export const payments = {
  pay: async (amount: number, { idempotencyKey }: { idempotencyKey: string }) => {
    made.set(idempotencyKey, amount)
    return { reference: idempotencyKey }
  },
}
