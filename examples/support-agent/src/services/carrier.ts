import { setTimeout as sleep } from 'node:timers/promises'

/** Simulates the API of a carrier. */
export async function locate(
  trackingNumber: string,
  signal: AbortSignal,
): Promise<{ place: string; arrives: string }> {
  await sleep(20, undefined, { signal })
  if (!trackingNumber.startsWith('TRK-')) throw new Error(`The carrier has no parcel ${trackingNumber}`)
  return { place: 'Leipzig', arrives: '2030-05-02' }
}
