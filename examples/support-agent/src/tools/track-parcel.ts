import { createTool } from 'agentserver'
import { z } from 'zod'
import { locate } from '../services/carrier.ts'

export const trackParcel = createTool({
  name: 'track-parcel',
  description: 'Tracks a parcel by its tracking number: where it is and on which day it arrives',
  inputSchema: z.object({ trackingNumber: z.string().describe('Tracking number, such as TRK-7001') }),
  outputSchema: z.object({ place: z.string(), arrives: z.iso.date() }),
  execute: ({ trackingNumber }, { signal }) => locate(trackingNumber, signal),
})
