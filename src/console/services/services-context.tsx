import { createContext, useContext } from 'react'
import type { Services } from './services.ts'

export const ServicesContext = createContext<Services | undefined>(undefined)

/** What the whole console shares: `api`, `live`, `router`, `keys`, `commands`, `toasts`, … */
export function useServices(): Services {
  const services = useContext(ServicesContext)
  if (!services) throw new Error('There is no ServicesContext above this component')
  return services
}
