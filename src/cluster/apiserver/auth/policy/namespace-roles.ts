// Roles within kube-system and kube-public, and who they are bound to (bootstrappolicy/namespace_policy.go of 1.34).

export interface LocalRole {
  readonly namespace: string
  readonly name: string
  readonly rules: string
}

export interface LocalBinding {
  readonly namespace: string
  readonly name: string
  readonly role: string
  /** `user:NAME` or `account:NAME` (of kube-system). */
  readonly to: readonly string[]
}

const locks = `
    create get list watch update | coordination.k8s.io | leases
    create get list watch update | coordination.k8s.io | leasecandidates`
const system = 'kube-system'
const open = 'kube-public'

export const localRoles: readonly LocalRole[] = [
  {
    namespace: system,
    name: 'extension-apiserver-authentication-reader',
    rules: 'read | core | configmaps | extension-apiserver-authentication',
  },
  { namespace: system, name: 'system:controller:bootstrap-signer', rules: 'read | core | secrets' },
  { namespace: system, name: 'system:controller:cloud-provider', rules: 'create read | core | configmaps' },
  {
    namespace: system,
    name: 'system:controller:token-cleaner',
    rules: `
      read delete | core | secrets
      events`,
  },
  { namespace: system, name: 'system::leader-locking-kube-controller-manager', rules: locks },
  { namespace: system, name: 'system::leader-locking-kube-scheduler', rules: locks },
  {
    namespace: open,
    name: 'system:controller:bootstrap-signer',
    rules: `
      read | core | configmaps
      update | core | configmaps | cluster-info
      events`,
  },
]

const same = (namespace: string, name: string, ...to: readonly string[]): LocalBinding => ({
  namespace,
  name,
  role: name,
  to,
})

export const localBindings: readonly LocalBinding[] = [
  {
    namespace: system,
    name: 'system::extension-apiserver-authentication-reader',
    role: 'extension-apiserver-authentication-reader',
    to: ['user:system:kube-controller-manager', 'user:system:kube-scheduler'],
  },
  same(
    system,
    'system::leader-locking-kube-controller-manager',
    'user:system:kube-controller-manager',
    'account:kube-controller-manager',
  ),
  same(system, 'system::leader-locking-kube-scheduler', 'user:system:kube-scheduler', 'account:kube-scheduler'),
  same(system, 'system:controller:bootstrap-signer', 'account:bootstrap-signer'),
  same(system, 'system:controller:cloud-provider', 'account:cloud-provider'),
  same(system, 'system:controller:token-cleaner', 'account:token-cleaner'),
  same(open, 'system:controller:bootstrap-signer', 'account:bootstrap-signer'),
]
