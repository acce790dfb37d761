import { createAgent } from 'agentserver'
import { trackParcel } from '../tools/track-parcel.ts'

export const shipping = createAgent({
  id: 'shipping',
  name: 'Shipping',
  description: 'Knows where a parcel is and when it arrives; ask it with the tracking number',
  instructions: 'Track the parcel with "track-parcel" and answer in one sentence.',
  tools: [trackParcel],
})
