// What loops may do that Kubernetes itself knows nothing of: the cloud's, storage drivers, ingress controllers, Argo CD and
// our own. Each has the role that its manifests bring along in a real cluster. (Here also stands where a controller of
// Kubernetes needs more than its real role gives.)

import type { Grant } from '#apiserver'

const account = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`
const system = (name: string): string => account('kube-system', name)

const grants: readonly Grant[] = [
  {
    name: 'external-attacher-runner',
    user: system('csi-attacher'),
    rules: `
      read patch | core | persistentvolumes
      read | storage.k8s.io | csinodes
      read patch update | storage.k8s.io | volumeattachments
      patch update | storage.k8s.io | volumeattachments/status`,
  },
  {
    name: 'external-provisioner-runner',
    user: system('csi-provisioner'),
    rules: `
      read create patch delete | core | persistentvolumes
      read update | core | persistentvolumeclaims
      read | storage.k8s.io | storageclasses csinodes volumeattachments
      read | core | nodes
      events`,
  },
  {
    name: 'external-resizer-runner',
    user: system('csi-resizer'),
    rules: `
      read patch update | core | persistentvolumes
      read | core | persistentvolumeclaims pods
      patch update | core | persistentvolumeclaims/status
      events`,
  },
  {
    name: 'ingress-controller',
    user: system('ingress-controller'),
    rules: `
      read | core | services endpoints secrets configmaps
      read | networking.k8s.io | ingresses ingressclasses
      update | networking.k8s.io | ingresses/status
      events`,
  },
  {
    name: 'kube-webhook-certgen',
    user: system('webhook-certgen'),
    rules: `
      get create | core | secrets
      get update | admissionregistration.k8s.io | validatingwebhookconfigurations mutatingwebhookconfigurations`,
  },
  {
    name: 'redis-secret-init',
    user: system('redis-secret-init'),
    rules: 'read create | core | secrets',
  },
  {
    name: 'addon-manager',
    user: system('addon-manager'),
    rules: 'read create | storage.k8s.io | storageclasses',
  },
  {
    name: 'argocd-application-controller',
    user: account('argocd', 'argocd-application-controller'),
    rules: `
      * | * | *
      * | url | *`,
  },
  {
    name: 'argocd-applicationset-controller',
    user: account('argocd', 'argocd-applicationset-controller'),
    rules: `
      read create update patch delete | argoproj.io | applications applicationsets
      update | argoproj.io | applicationsets/finalizers
      get patch update | argoproj.io | applicationsets/status
      read | argoproj.io | appprojects
      read | core | secrets configmaps
      events`,
  },
  {
    name: 'homeostat:faults',
    user: 'system:homeostat:faults',
    rules: `
      read | lab.homeostat.dev | faults
      update | lab.homeostat.dev | faults/status
      events`,
  },
  {
    name: 'homeostat:probe',
    user: 'system:homeostat:probe',
    rules: `
      read | lab.homeostat.dev | probes
      update | lab.homeostat.dev | probes/status
      events`,
  },
  {
    // The real one remembers which pods it has counted; ours keeps nothing and reads them again.
    name: 'homeostat:job-controller',
    user: system('job-controller'),
    rules: 'get | core | pods',
  },
  {
    // The real one watches the Events of a recycler pod while that runs; ours asks for them at each look.
    name: 'homeostat:persistent-volume-binder',
    user: system('persistent-volume-binder'),
    rules: 'list | core | events',
  },
]

/** Those of users that are at work. */
export const grantsFor = (users: ReadonlySet<string>): readonly Grant[] => grants.filter(({ user }) => users.has(user))
