// The two roles that Argo CD comes with, `role:readonly` and `role:admin`, as tables; the user `admin` has the second.

import { type Policy, readPolicy } from './policy.ts'

const readable = [
  'applications',
  'applicationsets',
  'certificates',
  'clusters',
  'repositories',
  'write-repositories',
  'projects',
  'accounts',
  'gpgkeys',
  'logs',
] as const

const change = ['create', 'update', 'delete'] as const

const administered: Readonly<Record<string, readonly string[]>> = {
  applications: [...change, 'update/*', 'delete/*', 'sync', 'rollback', 'override', 'action/*'],
  applicationsets: ['get', ...change],
  certificates: change,
  clusters: change,
  repositories: change,
  'write-repositories': change,
  projects: change,
  accounts: ['update'],
  gpgkeys: ['create', 'delete'],
  exec: ['create', 'debug'],
}

const rule = (role: string, resource: string, action: string): string =>
  `p, role:${role}, ${resource}, ${action}, *, allow`

export const builtInPolicy: Policy = readPolicy(
  [
    ...readable.map((resource) => rule('readonly', resource, 'get')),
    ...Object.entries(administered).flatMap(([resource, actions]) =>
      actions.map((action) => rule('admin', resource, action)),
    ),
    'g, role:admin, role:readonly',
    'g, admin, role:admin',
  ].join('\n'),
  'glob',
)
