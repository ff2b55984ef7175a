// DenyServiceExternalIPs: no Service takes an external address that it did not have.

import type { Service } from '#kinds'
import { type AdmissionPlugin, type AdmissionRequest, refuse } from '../plugin.ts'

function validate(request: AdmissionRequest): void {
  const { operation, subresource, object, old } = request
  if (subresource !== '' || (operation !== 'CREATE' && operation !== 'UPDATE')) return
  const before = (old as unknown as Service | undefined)?.spec?.externalIPs ?? []
  const now = (object as unknown as Service | undefined)?.spec?.externalIPs ?? []
  if (now.some((address) => !before.includes(address)))
    throw refuse(request, 'Use of external IPs is denied by admission control')
}

export const denyServiceExternalIPs: AdmissionPlugin = {
  name: 'DenyServiceExternalIPs',
  resources: ['services'],
  isOptional: true,
  validate,
}
