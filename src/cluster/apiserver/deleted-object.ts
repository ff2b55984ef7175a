// What a completed delete answers with: most kinds with a Status, those whose storage says so with the object itself.

import type { ResourceInfo } from '#kinds'

const answering: Readonly<Record<string, readonly string[]>> = {
  '': [
    'pods',
    'services',
    'serviceaccounts',
    'persistentvolumes',
    'persistentvolumeclaims',
    'podtemplates',
    'resourcequotas',
  ],
  'resource.k8s.io': ['deviceclasses', 'resourceclaims', 'resourceclaimtemplates', 'resourceslices'],
  'storage.k8s.io': ['csidrivers', 'csinodes', 'storageclasses', 'volumeattachments', 'volumeattributesclasses'],
}

export const answersWithDeleted = ({ group, resource }: Pick<ResourceInfo, 'group' | 'resource'>): boolean =>
  answering[group]?.includes(resource) === true
